// A graceful shutdown with Fastify: docs/recipes/shutdown.md
// npm install purgatory fastify
import fastify from 'fastify';
import { Purgatory } from 'purgatory';
import { LocalHub } from 'purgatory/bus';
import { clientSignal } from 'purgatory/http';

const bus = new LocalHub().bus(); // in production: redisBus(client), natsBus(newConnection), ...
const polls = new Purgatory('polls', { bus });
const app = fastify();
const underWay = new Set(); // responses

app.addHook('onRequest', async (_request, { raw: response }) => {
  underWay.add(response);
  response.once('close', () => underWay.delete(response)); // it is out, or its client has gone
});

app.get('/', async (_request, reply) => {
  const signal = clientSignal(reply.raw);
  try {
    return await polls.waitFor(['news'], () => undefined, { timeoutMs: 25_000, signal });
  } catch (error) {
    if (signal.aborted) return reply.hijack(); // nobody is left to answer
    return reply.code(503).header('connection', 'close').send(error.code);
  }
});

app.addHook('preClose', async () => {
  polls.close(); // before Fastify waits for its requests: they would wait for their deadlines
});
app.addHook('onClose', async () => {
  await bus.close(); // after them
  // then the client that the bus was made of: redis.disconnect(), await connection.close()
});

async function shutDown() {
  setTimeout(() => process.exit(1), 10_000).unref(); // whatever hangs
  const cut = setInterval(() => {
    if (underWay.size === 0) app.server.closeAllConnections(); // also those that never sent anything
  }, 50);
  await app.close();
  clearInterval(cut);
}

let isEnding = false;
process.on('SIGTERM', () => {
  if (!isEnding) shutDown(); // another SIGTERM changes nothing
  isEnding = true;
});
await app.listen({ port: Number(process.env.PORT ?? 3000) });
console.log(app.server.address().port);
