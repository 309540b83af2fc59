import { ManualClock, Purgatory } from 'purgatory';
import { HashedWheelTimer, HeapTimer } from 'purgatory/schemes';

const clock = new ManualClock();

// Any of them is the timer of a purgatory.
const polls = new Purgatory('polls', { timer: new HeapTimer({ clock }) });
const poll = polls.waitFor(['news'], () => undefined, { timeoutMs: 500 });

const wheel = new HashedWheelTimer({ tickDurationMs: 100, ticksPerWheel: 512, clock });
wheel.newTimeout((timeout) => console.log(timeout.isExpired), 250); // true

clock.advance(500);
console.log(await poll); // { expired: true }
