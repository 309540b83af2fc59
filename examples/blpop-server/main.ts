// node --import tsx examples/blpop-server/main.ts [port]
import { once } from 'node:events';
import { BlpopServer } from './server.ts';

const server = new BlpopServer();
const port = await server.listen(Number(process.argv[2] ?? 6380));
console.log(`ready redis://127.0.0.1:${port}`);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await server.close();
