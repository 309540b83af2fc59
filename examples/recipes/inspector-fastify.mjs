// The inspector behind a path of a Fastify server: docs/inspector.md
// npm install purgatory fastify
import fastify from 'fastify';
import { Purgatory } from 'purgatory';
import { createInspector } from 'purgatory/inspector';

const inspector = createInspector({ purgatories: [new Purgatory('fetch')], path: '/inspector/' });
const app = fastify();
app.get('/inspector*', (request, reply) => {
  if (inspector.handle(request.raw, reply.raw)) reply.hijack();
  else reply.callNotFound();
});
app.addHook('preClose', () => inspector.close()); // ends the streams, which would keep the server
await app.listen({ port: Number(process.env.PORT ?? 3000) });
console.log(app.server.address().port);
process.on('SIGTERM', () => app.close());
