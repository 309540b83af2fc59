// node --import tsx examples/long-poll-http/main.ts [port]
import { ChatServer } from './server.ts';

const server = new ChatServer();
const port = await server.listen(Number(process.argv[2] ?? 8080));
const url = `http://127.0.0.1:${port}`;
console.log(`ready ${url}`);
console.log(`Open it in two windows, or:
  curl '${url}/messages?room=lobby&min=1&wait=25000'
  curl ${url}/messages -d '{"room":"lobby","author":"curl","text":"hello"}'`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
