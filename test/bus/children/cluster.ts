// A primary with two workers. `relay`: the first worker runs the conformance suite. `silent`: the
// primary does not relay at first. `stopped`: the first worker closes its bus while the primary
// reads nothing.
import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterBus, clusterTransport, relayBus } from '../../../src/bus/transports/cluster.ts';
import { transportConformance } from '../../../src/bus/transports/conformance.ts';
import { codeOf } from '../../support/code-of.ts';

const [mode] = process.argv.slice(2);

async function primary(): Promise<void> {
  console.log(`clusterBus in the primary: ${codeOf(() => clusterBus())}`);
  const relay = mode === 'silent' ? undefined : relayBus();
  if (relay !== undefined) console.log(`a second relay: ${codeOf(() => relayBus())}`);
  const worker = cluster.fork();
  worker.on('message', (message: unknown) => {
    if (typeof message === 'string') console.log(message);
    if (message === 'no relay') relayBus();
  });
  if (mode === 'relay') cluster.fork();
  worker.on('exit', () => cluster.disconnect());
}

const say = (line: string): Promise<void> =>
  new Promise((resolve) => {
    process.send?.(line, undefined, undefined, () => resolve());
  });

async function conformance(): Promise<void> {
  await say(`relayBus in a worker: ${codeOf(() => relayBus())}`);
  for (const { title, run } of transportConformance(() => clusterTransport('conformance'))) {
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
  process.kill(process.ppid, 'SIGSTOP');
  for (let key = 0; key < 50_000; key++) publish(`${key} ${'x'.repeat(100)}`); // more than the pipe takes
  const outcome = await Promise.race([bus.close().then(() => 'closed'), sleep(5_000, 'not closed')]);
  process.kill(process.ppid, 'SIGCONT');
  await say(outcome);
}

if (cluster.isPrimary) await primary();
else {
  if (cluster.worker?.id === 1) {
    const run: Record<string, () => Promise<void>> = { relay: conformance, silent, stopped };
    await run[mode]();
    process.disconnect();
  }
}
