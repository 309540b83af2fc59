import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Purgatory } from 'purgatory';
import { clientSignal } from 'purgatory/http';

const news: string[] = [];
const polls = new Purgatory('polls');

const server = createServer(async (_request, response) => {
  const signal = clientSignal(response);
  try {
    const result = await polls.waitFor(['news'], () => news[0], { timeoutMs: 30_000, signal });
    response.end(result.expired ? '' : result.value);
  } catch {
    console.log(signal.aborted, polls.numDelayed); // true 0
  }
});
await once(server.listen(0), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

// This client goes while its request is parked.
const client = new AbortController();
server.once('request', () => client.abort());
await fetch(url, { signal: client.signal }).catch((error) => console.log(error.name)); // AbortError

news.push('hello');
console.log(await (await fetch(url)).text()); // hello
server.close();
server.closeAllConnections(); // `fetch` keeps its connection open
