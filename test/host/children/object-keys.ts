// Prints what the first object keys of a process are warned of, each on a line.
import { ManualClock } from '../../../src/index.ts';
import { Queues } from '../../../src/waits/queues/index.ts';
import { labelObject, Semaphore } from '../../../src/waits/semaphore/index.ts';

process.emitWarning = ((text: string, { code }: { code: string }) => console.log(`${code} ${text}`)) as never;
const clock = new ManualClock();
const locks = new Semaphore<object>('locks', { units: 1, clock });
const queues = new Queues<number, object>('queues', { clock });
locks.tryAcquire({ key: labelObject({ id: 6 }, 'it is meant') });
for (let i = 0; i < 2; i++) {
  locks.tryAcquire({ key: { id: 7 } });
  queues.put({ id: 8 }, 1);
}
