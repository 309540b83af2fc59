// A primary with two workers. `relay`: the first worker runs the conformance suite. `silent`: the
// primary does not relay at first. `stopped`: the first worker closes its bus while the primary
// reads nothing. `both`: the primary has a bus, too, and the worker eleven. `leaving`: the worker
// disconnects.
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterBus, clusterTransport, relayBus } from '../../../../src/bus/transports/cluster.ts';
import { transportConformance } from '../../../../src/bus/transports/conformance.ts';
import { codeOf } from '../../../support/code-of.ts';
import { LIMIT_MS } from '../../../support/limit.ts';

const [mode] = process.argv.slice(2);

async function primary(): Promise<void> {
  console.log(`clusterBus in the primary: ${codeOf(() => clusterBus())}`);
  const relay = mode === 'silent' ? undefined : relayBus();
  if (relay !== undefined) console.log(`a second relay: ${codeOf(() => relayBus())}`);
  const worker = cluster.fork();
  if (mode === 'both') await both(worker);
  worker.on('message', (message: unknown) => {
    if (typeof message === 'string') console.log(message);
    if (message === 'no relay') relayBus();
  });
  const other = mode === 'relay' ? cluster.fork() : undefined;
  // Not cluster.disconnect(): on Deno that throws where a worker has gone.
  worker.on('exit', () => other?.disconnect());
}

const MEMBER = { name: 'orders', sweep: (ended: (tried: number) => void) => ended(0) };

/** The primary notifies, and hears what the worker notifies. The worker sends it nonsense first. */
async function both(worker: Worker): Promise<void> {
  const bus = clusterBus();
  const heard: string[] = [];
  const { publish } = bus.join({ ...MEMBER, hinted: (key) => heard.push(key) > 0 });
  worker.on('message', async (message: unknown) => {
    if (message === 'go') publish('from the primary');
    if (message !== 'that is all') return; // it may be gone before its messages have come
    do await sleep(10);
    while (heard.length === 0);
    console.log(`${bus.state} ${heard}`);
    void bus.close();
  });
}

async function eleven(): Promise<void> {
  const nonsense = [
    { purgatoryRelay: 'text' },
    { purgatoryRelay: 'text', prefix: 'purgatory', line: 0, text: 7 },
  ];
  for (const message of nonsense) process.send?.(message);
  const listeners = (): number => process.listenerCount('message') + process.listenerCount('disconnect');
  const before = listeners();
  const heard: string[] = [];
  const buses = Array.from({ length: 11 }, (_, index) =>
    clusterBus(index === 0 ? {} : { prefix: `p${index}` }),
  );
  const { publish } = buses[0].join({ ...MEMBER, hinted: (key) => heard.push(key) > 0 });
  while (!buses.every(({ state }) => state === 'live')) await sleep(10);
  await say(`listeners: ${listeners() - before}`);
  await say('go');
  while (heard.length === 0) await sleep(10);
  publish('from the worker');
  await buses[0].flush();
  await say(`the worker heard ${heard}`);
  for (const bus of buses) await bus.close();
  await say(`listeners: ${listeners() - before}`);
  await say('that is all');
}

/** Told to disconnect, as in a deployment: its polls go on, and its bus says that they hear nothing. */
async function leaving(): Promise<void> {
  const bus = clusterBus();
  while (bus.state !== 'live') await sleep(10);
  cluster.worker?.disconnect();
  while (bus.state === 'live') await sleep(10);
  console.log(`${bus.state}: ${bus.snapshot().lastError?.message}`);
}

const say = (line: string): Promise<void> =>
  new Promise((resolve) => {
    process.send?.(line, undefined, undefined, () => resolve());
  });

const PATIENT = { patienceMs: LIMIT_MS };

async function conformance(): Promise<void> {
  await say(`relayBus in a worker: ${codeOf(() => relayBus())}`);
  for (const { title, run } of transportConformance(() => clusterTransport('conformance'), PATIENT)) {
    try {
      await run();
      await say(`ok ${title}`);
    } catch (error) {
      await say(`not ok ${title}: ${error instanceof Error ? error.stack : error}`);
    }
  }
}

async function silent(): Promise<void> {
  const bus = clusterBus({
    onError: (error) => {
      void say(`${(error as { code: string }).code} while ${bus.state}`).then(() => say('no relay'));
    },
  });
  while (bus.state !== 'live') await sleep(10);
  await say('live');
  await bus.close();
}

async function stopped(): Promise<void> {
  const bus = clusterBus({ echoTimeoutMs: 1_000 });
  while (bus.state !== 'live') await sleep(10);
  const { publish } = bus.join({ name: 'orders', hinted: () => false, sweep: (ended) => ended(0) });
  const stop = (): void => void process.kill(process.ppid, 'SIGSTOP');
  stop();
  const stops = setInterval(stop, 10); // whoever lets it go on
  for (let key = 0; key < 50_000; key++) publish(`${key} ${'x'.repeat(100)}`); // more than the pipe takes
  const outcome = await Promise.race([
    bus.close().then(() => 'closed'),
    sleep(LIMIT_MS, 'not closed', { ref: false }),
  ]);
  clearInterval(stops);
  process.kill(process.ppid, 'SIGCONT');
  await say(outcome);
}

if (cluster.isPrimary) await primary();
else {
  if (cluster.worker?.id === 1) {
    const run: Record<string, () => Promise<void>> = {
      relay: conformance,
      silent,
      stopped,
      both: eleven,
      leaving,
    };
    await run[mode]();
    if (process.connected) process.disconnect();
  }
}
