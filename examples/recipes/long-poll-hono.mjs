// A long poll with Hono: docs/recipes/long-poll.md
// npm install purgatory hono @hono/node-server
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Purgatory } from 'purgatory';

const messages = [];
const polls = new Purgatory('polls', { maxParked: 100_000 });
const app = new Hono();

app.post('/messages', async (context) => {
  messages.push(await context.req.text());
  polls.notify('messages');
  return context.json({ number: messages.length }, 201);
});

app.get('/messages', async (context) => {
  let from = Number(context.req.query('from') ?? 0);
  if (!Number.isInteger(from) || from < 0) return context.json({ error: 'from must be a whole number' }, 400);
  if (from > messages.length) from = 0; // of a log before a restart
  const { signal } = context.req.raw;
  const news = () => messages.length > from && messages.slice(from); // false: not yet
  const result = await polls.waitFor(['messages'], news, { timeoutMs: 25_000, signal });
  const found = result.expired ? [] : result.value;
  return context.json({ waiting: polls.numDelayed, messages: found, next: from + found.length });
});

// The client has gone, its post broke off, or the purgatory is closed or full.
app.onError((error, context) => context.json({ error: error.message }, 503, { connection: 'close' }));

const port = Number(process.env.PORT ?? 3000);
const server = serve({ fetch: app.fetch, port }, (address) => console.log(address.port));
process.on('SIGTERM', () => {
  server.close();
  polls.close();
});
