import { Purgatory } from 'purgatory';
import { LocalHub } from 'purgatory/bus';

// Two processes of a server, here in one.
const hub = new LocalHub();
const [first, second] = [hub.bus(), hub.bus()];
const here = new Purgatory('polls', { bus: first });
const there = new Purgatory('polls', { bus: second });

const feed: string[] = []; // what both processes can read
const poll = there.waitFor(['feed'], () => feed[0], { timeoutMs: 5_000 });
feed.push('hello');
here.notify('feed');
console.log(await poll); // { expired: false, value: 'hello' }
await Promise.all([first.close(), second.close()]);
