// The inspector behind a path of a server of node:http: docs/inspector.md
import { createServer } from 'node:http';
import { Purgatory } from 'purgatory';
import { createInspector } from 'purgatory/inspector';

const purgatories = [new Purgatory('fetch')];
const inspector = createInspector({ purgatories, path: '/inspector/', hosts: ['ops.example.com'] });
const isOperator = (request) => request.socket.remoteAddress === '127.0.0.1'; // or a login of yours
const server = createServer((request, response) => {
  if (isOperator(request) && inspector.handle(request, response)) return;
  response.writeHead(404).end(); // your own answers
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => {
  server.close();
  inspector.close(); // ends the streams, which would keep the server
});
