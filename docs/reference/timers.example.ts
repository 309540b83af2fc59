import { once } from 'node:events';
import { clearTimeout, setTimeout, timeoutSignal } from 'purgatory/timers';

const never = setTimeout(() => console.log('never'), 10);
clearTimeout(never);
setTimeout((name: string) => console.log(`hello ${name}`), 10, 'Ada'); // hello Ada

const work = setTimeout(() => {}, 1_000); // keeps the process alive; a signal does not
const signal = timeoutSignal(30);
await once(signal, 'abort');
console.log(signal.reason.name); // TimeoutError
clearTimeout(work);

const call = new AbortController();
{
  using deadline = timeoutSignal(1_000, { signal: call.signal }); // ends with this block, or with the call
  console.log(deadline.aborted); // false
}
