// Sessions that end when they are idle, and are not while they have open streams: docs/recipes/leases.md
import { createServer } from 'node:http';
import { closeSignal } from 'purgatory/http';
import { IdleTimeouts } from 'purgatory/idle';

const sessions = new IdleTimeouts('sessions', {
  timeoutMs: 300,
  onIdle: (id) => console.log(`session ${id} has ended`),
});

const server = createServer((request, response) => {
  const id = request.headers['session-id'];
  if (request.url === '/stream') {
    const release = sessions.hold(id);
    closeSignal(response).addEventListener('abort', release);
    response.write('data: hello\n\n');
  } else {
    // A session that has ended does not come back.
    response.writeHead(sessions.refresh(id) ? 200 : 404).end();
  }
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const ask = (path, signal) =>
  fetch(`http://127.0.0.1:${server.address().port}${path}`, { headers: { 'session-id': 'ann' }, signal });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const leave = new AbortController();
const stream = await ask('/stream', leave.signal);
await sleep(700); // longer than a session lasts without a stream
console.log((await ask('/call')).status, sessions.snapshot().held);
leave.abort();
await stream.text().catch(({ name }) => console.log(name));
while (sessions.numDelayed > 0) await sleep(10);
console.log((await ask('/call')).status);
server.close();
sessions.close();

/* It prints

200 1
AbortError
session ann has ended
404
*/
