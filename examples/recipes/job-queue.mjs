// A job queue over HTTP: docs/recipes/locks-and-queues.md
import { createServer } from 'node:http';
import { clientSignal } from 'purgatory/http';
import { Queues } from 'purgatory/queues';

const jobs = new Queues('jobs', { maxItems: 10_000, maxParked: 10_000 });

const server = createServer(async (_request, response) => {
  const signal = clientSignal(response);
  try {
    const taken = await jobs.take(['urgent', 'normal'], { timeoutMs: 25_000, signal });
    if (taken.expired) response.writeHead(204).end();
    else if (signal.aborted) jobs.putBack(taken);
    else response.end(taken.value);
  } catch (error) {
    if (!signal.aborted) response.writeHead(503).end(error.code);
  }
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const ask = (signal) => fetch(`http://127.0.0.1:${server.address().port}`, { signal });
const waiting = async (count) => {
  while (jobs.numDelayed !== count) await new Promise((resolve) => setTimeout(resolve, 5));
};

const gone = new AbortController();
const lost = ask(gone.signal).catch(() => 'gone');
await waiting(1);
gone.abort();
console.log(await lost);
await waiting(0); // its wait has ended: it takes no job

const worker = ask();
await waiting(1);
console.log(jobs.put('normal', 'tidy up'));
console.log(await (await worker).text());
jobs.put('normal', 'count');
jobs.put('urgent', 'pay');
console.log(await (await ask()).text(), jobs.size);
server.close();
jobs.close();

/* It prints

gone
true
tidy up
pay 1
*/
