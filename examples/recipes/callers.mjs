// A queue with replies, whose callers may give up: docs/recipes/locks-and-queues.md
import { setTimeout as sleep } from 'node:timers/promises';
import { Queues } from 'purgatory/queues';
import { Replies } from 'purgatory/replies';

const work = new Queues('work', { maxItems: 100 });
const results = new Replies('work');
let lastId = 0;

/** The result of a worker. Rejects at the deadline, by the signal, and when the queue is full. */
function request(text, { timeoutMs, signal }) {
  const job = { id: ++lastId, text };
  const put = () => work.put('texts', job, { timeoutMs, signal }); // what it throws rejects the call
  return results.call(job.id, { timeoutMs, signal, label: text }, put);
}

// Nobody works: all callers give up, and nothing is left behind.
const callers = Array.from({ length: 100 }, (_, i) => request(`text ${i}`, { timeoutMs: 50 }));
console.log(work.size, await request('one too many', { timeoutMs: 50 }).catch(({ code }) => code));
const ends = await Promise.allSettled(callers);
console.log(ends[99].reason.message);
while (work.size > 0) await sleep(1); // its deadlines are in another pass than those of the replies
console.log(work.snapshot().items.expired);

const stop = new AbortController();
const aborted = request('gone', { timeoutMs: 10_000, signal: stop.signal }).catch((error) => error);
stop.abort('the client has gone');
console.log(await aborted, work.size);

async function worker() {
  const { expired, value: job } = await work.take(['texts'], { timeoutMs: 10_000 });
  if (!expired) results.resolve(job.id, job.text.toUpperCase());
}
const answered = request('hello', { timeoutMs: 10_000 });
await worker();
console.log(await answered);
work.close();
results.close();

/* It prints

100 ERR_PURGATORY_FULL
No reply of "work" to 100 ("text 99") within 50 ms
100
the client has gone 0
HELLO
*/
