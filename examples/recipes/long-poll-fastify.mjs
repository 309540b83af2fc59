// A long poll with Fastify: docs/recipes/long-poll.md
// npm install purgatory fastify
import fastify from 'fastify';
import { Purgatory } from 'purgatory';
import { clientSignal } from 'purgatory/http';

const messages = [];
const polls = new Purgatory('polls', { maxParked: 100_000 });
const app = fastify();
app.addContentTypeParser('*', { parseAs: 'string' }, async (_request, body) => body);

app.post('/messages', async (request, reply) => {
  messages.push(request.body);
  polls.notify('messages');
  return reply.code(201).send({ number: messages.length });
});

app.get('/messages', async (request, reply) => {
  let from = Number(request.query.from ?? 0);
  if (!Number.isInteger(from) || from < 0) {
    return reply.code(400).send({ error: 'from must be a whole number' });
  }
  if (from > messages.length) from = 0; // of a log before a restart
  const signal = clientSignal(reply.raw);
  const news = () => messages.length > from && messages.slice(from); // false: not yet
  try {
    const result = await polls.waitFor(['messages'], news, { timeoutMs: 25_000, signal });
    const found = result.expired ? [] : result.value;
    return { waiting: polls.numDelayed, messages: found, next: from + found.length };
  } catch (error) {
    if (signal.aborted) return reply.hijack(); // nobody is left to answer
    return reply.code(503).header('connection', 'close').send({ error: error.message });
  }
});

app.addHook('preClose', async () => {
  polls.close(); // else `app.close()` waits for the parked requests
});
await app.listen({ port: Number(process.env.PORT ?? 3000) });
console.log(app.server.address().port);
process.on('SIGTERM', () => app.close());
