// What differs from a Map and setTimeout, by the numbers of the page: docs/coming-from-map-and-settimeout.md
import { Purgatory } from 'purgatory';

const polls = new Purgatory('polls');
const wait = (condition, timeoutMs = 1_000) =>
  polls.waitFor(['key'], condition, { timeoutMs }).catch((error) => error.code ?? error.message);

console.log(1, await wait(() => false, 20), await wait(() => [false]), await wait(() => 0));
console.log(2, await wait(() => 'never asked', Number.NaN));

const endless = wait(() => undefined, Number.POSITIVE_INFINITY);
console.log(3, polls.timer.size, polls.numDelayed);

let isBroken = false;
const thrower = wait(() => {
  if (isBroken) throw new Error('broken');
});
let tries = 0;
const counter = wait(() => ++tries >= 2 && tries);
console.log(6, tries);

isBroken = true;
for (let i = 0; i < 3; i++) polls.notify('key');
console.log(7, tries);
console.log(4, await thrower, await counter);

const race = new AbortController();
const loser = polls.waitFor(['other'], () => undefined, { timeoutMs: 60_000, signal: race.signal });
await Promise.race([loser, 'winner']);
console.log(10, polls.watchersOf('other'));
race.abort();
console.log(10, polls.watchersOf('other'), await loser.catch((error) => error.name));

polls.close();
console.log(5, await endless);

/* It prints

1 { expired: true } { expired: false, value: [ false ] } { expired: false, value: 0 }
2 ERR_OUT_OF_RANGE
3 0 1
6 1
7 1
4 broken { expired: false, value: 2 }
10 1
10 0 AbortError
5 ERR_PURGATORY_CLOSED
*/
