// A graceful shutdown with node:http: docs/recipes/shutdown.md
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Purgatory } from 'purgatory';
import { LocalHub } from 'purgatory/bus';
import { clientSignal } from 'purgatory/http';

const bus = new LocalHub().bus(); // in production: redisBus(client), natsBus(newConnection), ...
const polls = new Purgatory('polls', { bus });

const underWay = new Set(); // responses

const server = createServer(async (_request, response) => {
  underWay.add(response);
  response.once('close', () => underWay.delete(response)); // it is out, or its client has gone
  const signal = clientSignal(response);
  try {
    const result = await polls.waitFor(['news'], () => undefined, { timeoutMs: 25_000, signal });
    response.end(JSON.stringify(result));
  } catch (error) {
    // `connection: close`: the client sends its next request elsewhere.
    if (!signal.aborted) response.writeHead(503, { connection: 'close' }).end(error.code);
  }
});

async function shutDown() {
  setTimeout(() => process.exit(1), 10_000).unref(); // whatever hangs
  const closed = new Promise((done) => server.close(done)); // no new connections
  polls.close(); // answers what is parked
  while (underWay.size > 0) await Promise.all(Array.from(underWay, (response) => once(response, 'close')));
  server.closeAllConnections(); // those that are kept, and those that never sent anything
  await closed;
  await bus.close(); // a live bus first sends what is pending
  // then the client that the bus was made of: redis.disconnect(), await connection.close()
}

let isEnding = false;
process.on('SIGTERM', () => {
  if (!isEnding) shutDown(); // another SIGTERM changes nothing
  isEnding = true;
});
server.listen(Number(process.env.PORT ?? 3000), () => console.log(server.address().port));
