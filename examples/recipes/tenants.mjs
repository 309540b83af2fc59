// A limit for each tenant: docs/recipes/several-keys.md
import { Purgatory } from 'purgatory';

const MOST = 2;
const jobs = new Purgatory('jobs', { maxParked: 100_000 });
const done = new Map();

async function resultOf(tenant, id, { timeoutMs, signal }) {
  const key = `tenant:${tenant}`;
  if (jobs.watchersOf(key) >= MOST) throw new Error(`${tenant} has ${MOST} waits already`); // HTTP: 429
  return jobs.waitFor([id, key], () => done.get(id), { timeoutMs, signal, label: key });
}

function finish(id, result) {
  done.set(id, result);
  jobs.notify(id);
}

const said = (wait) => wait.then(({ value }) => value).catch(({ code, message }) => code ?? message);
const waits = [
  ...['a', 'b', 'c'].map((id) => resultOf('acme', id, { timeoutMs: 5_000 })),
  resultOf('other', 'a', { timeoutMs: 5_000 }),
].map(said);
finish('a', 'forty-two');
setImmediate(() => jobs.cancelForKey('tenant:acme')); // evicts what is left of it
for (const wait of waits) console.log(await wait);

/* It prints

forty-two
ERR_PURGATORY_CANCELLED
acme has 2 waits already
forty-two
*/
