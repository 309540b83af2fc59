// A test of an event with many watchers: docs/testing.md
import { ManualClock, Purgatory } from 'purgatory';

const polls = new Purgatory('polls', { clock: new ManualClock() });
let post;
let answered = 0;
const waits = Array.from({ length: 1_000 }, async () => {
  await polls.waitFor(['feed'], () => post, { timeoutMs: 30_000 });
  answered++;
});

post = 'hello';
polls.notify('feed');
for (let i = 0; i < 10; i++) await undefined;
console.log(answered < waits.length); // ten microtasks are too few

await polls.served();
console.log(polls.numDelayed);

await Promise.all(waits);
console.log(answered);

/* It prints

true
0
1000
*/
