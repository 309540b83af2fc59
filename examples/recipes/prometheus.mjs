// Metrics for Prometheus: docs/operations.md
// npm install purgatory prom-client
import { createServer } from 'node:http';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { Purgatory, SystemTimer } from 'purgatory';
import { registerMetrics } from 'purgatory/metrics';

const timer = new SystemTimer();
const polls = new Purgatory('polls', { timer });
const registry = new Registry();
collectDefaultMetrics({ register: registry });
registerMetrics(registry, { purgatories: [polls], timers: { main: timer } });

const server = createServer(async (request, response) => {
  if (request.url === '/metrics') {
    response.setHeader('content-type', registry.contentType);
    return response.end(await registry.metrics());
  }
  if (request.method === 'POST') polls.notify('news');
  const result = await polls.waitFor(['news'], () => undefined, { timeoutMs: 200 });
  response.end(JSON.stringify(result));
});
server.listen(Number(process.env.PORT ?? 3000), () => console.log(server.address().port));
