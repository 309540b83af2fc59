import { Registry } from 'prom-client';
import { Purgatory } from 'purgatory';
import { registerMetrics } from 'purgatory/metrics';

const registry = new Registry();
const polls = new Purgatory('polls');
const stop = registerMetrics(registry, { purgatories: [polls] });

const poll = polls.waitFor(['news'], () => undefined, { timeoutMs: 20 });
const scrape = await registry.metrics();
console.log(scrape.match(/^purgatory_parked_operations\S* \d+/m)?.[0]); // purgatory_parked_operations{purgatory="polls"} 1
await poll;
stop();
