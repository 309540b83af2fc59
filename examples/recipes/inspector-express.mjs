// The inspector behind a path of an Express server: docs/inspector.md
// npm install purgatory express
import express from 'express';
import { Purgatory } from 'purgatory';
import { createInspector } from 'purgatory/inspector';

const inspector = createInspector({ purgatories: [new Purgatory('fetch')] });
const app = express();
app.use('/inspector', (request, response, next) => {
  if (!inspector.handle(request, response)) next();
});
const server = app.listen(Number(process.env.PORT ?? 3000), () => console.log(server.address().port));
process.on('SIGTERM', () => {
  server.close();
  inspector.close(); // ends the streams, which would keep the server
});
