// Server-sent events with a cursor: docs/recipes/server-sent-events.md
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Purgatory } from 'purgatory';
import { clientSignal, drained } from 'purgatory/http';

const events = [];
const streams = new Purgatory('streams', { maxParked: 100_000 });

const server = createServer(async (request, response) => {
  const signal = clientSignal(response);
  try {
    if (request.method === 'POST') {
      events.push(await text(request)); // throws when the post breaks off
      streams.notify('events');
      return response.writeHead(201).end();
    }
    let cursor = Number(request.headers['last-event-id'] ?? 0);
    if (!Number.isInteger(cursor) || cursor < 0) return response.writeHead(400).end();
    if (cursor > events.length) cursor = 0; // of a log before a restart
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.flushHeaders();
    const news = () => events.length > cursor && events.slice(cursor); // false: not yet
    for await (const { expired, value } of streams.follow(['events'], news, { timeoutMs: 15_000, signal })) {
      if (expired) response.write(': still here\n\n');
      else for (const data of value) response.write(`id: ${++cursor}\ndata: ${JSON.stringify(data)}\n\n`);
      const { expired: isSlow } = await drained(response, { timeoutMs: 60_000, signal });
      if (isSlow) return response.destroy(); // it comes back with its cursor
    }
  } catch {
    response.end(); // the client has gone, or the server ends: the client comes back with its cursor
  }
});

server.listen(Number(process.env.PORT ?? 3000), () => console.log(server.address().port));
process.on('SIGTERM', () => {
  server.close();
  streams.close();
});
