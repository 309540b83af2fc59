// Readiness that answers 503 after SIGTERM, while the server still listens: docs/recipes/shutdown.md
import { createServer } from 'node:http';
import { Purgatory } from 'purgatory';
import { clientSignal } from 'purgatory/http';

/** Until the load balancer has noticed: a few of its periods. */
const GRACE_MS = Number(process.env.GRACE_MS ?? 5_000);
const polls = new Purgatory('polls');
let isEnding = false;

const server = createServer(async (request, response) => {
  if (request.url === '/ready') return response.writeHead(isEnding ? 503 : 200).end();
  const signal = clientSignal(response);
  if (isEnding) response.setHeader('connection', 'close'); // served, and the next one goes elsewhere
  try {
    response.end(JSON.stringify(await polls.waitFor(['news'], () => undefined, { timeoutMs: 100, signal })));
  } catch (error) {
    if (!signal.aborted) response.writeHead(503, { connection: 'close' }).end(error.code);
  }
});

function shutDown() {
  polls.close(); // answers what is parked; then as in shutdown-http.mjs
  server.close(() => process.exit());
  setTimeout(() => server.closeAllConnections(), 100);
}

process.on('SIGTERM', () => {
  if (!isEnding) setTimeout(shutDown, GRACE_MS);
  isEnding = true;
});
server.listen(Number(process.env.PORT ?? 3000), () => console.log(server.address().port));
