// A long poll with Express: docs/recipes/long-poll.md
// npm install purgatory express
import express from 'express';
import { Purgatory } from 'purgatory';
import { clientSignal } from 'purgatory/http';

const messages = [];
const polls = new Purgatory('polls', { maxParked: 100_000 });
const app = express();

app.post('/messages', express.text({ type: () => true }), (request, response) => {
  messages.push(request.body);
  polls.notify('messages');
  response.status(201).json({ number: messages.length });
});

app.get('/messages', async (request, response) => {
  let from = Number(request.query.from ?? 0);
  if (!Number.isInteger(from) || from < 0) {
    return response.status(400).json({ error: 'from must be a whole number' });
  }
  if (from > messages.length) from = 0; // of a log before a restart
  const signal = clientSignal(response);
  const news = () => messages.length > from && messages.slice(from); // false: not yet
  try {
    const result = await polls.waitFor(['messages'], news, { timeoutMs: 25_000, signal });
    const found = result.expired ? [] : result.value;
    response.json({ waiting: polls.numDelayed, messages: found, next: from + found.length });
  } catch (error) {
    if (signal.aborted) return; // nobody is left to answer
    response.status(503).set('connection', 'close').json({ error: error.message });
  }
});

const server = app.listen(Number(process.env.PORT ?? 3000), () => console.log(server.address().port));
process.on('SIGTERM', () => {
  server.close();
  polls.close();
});
