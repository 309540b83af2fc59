// A timer with the API of Netty: docs/schemes.md
import { HashedWheelTimer } from 'purgatory/schemes';

const timer = new HashedWheelTimer({ tickDurationMs: 100, ticksPerWheel: 512, maxPendingTimeouts: 100_000 });
const first = timer.newTimeout((timeout) => console.log(timeout.isExpired), 30_000);
console.log(first.cancel(), first.isCancelled); // true true
console.log(timer.pendingTimeouts); // 0
timer.newTimeout(() => {}, 30_000);
console.log(timer.stop().length); // 1: those that never ran, by deadline, all cancelled

/* It prints

true true
0
1
*/
