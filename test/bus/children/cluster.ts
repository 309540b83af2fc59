// A primary with two workers. `relay`: the first worker runs the conformance suite. `silent`: the
// primary does not relay at first.
import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterBus, clusterTransport, relayBus } from '../../../src/bus/cluster.ts';
import { transportConformance } from '../../../src/bus/conformance.ts';
import { codeOf } from '../../support/code-of.ts';

const [mode] = process.argv.slice(2);

async function primary(): Promise<void> {
  console.log(`clusterBus in the primary: ${codeOf(() => clusterBus())}`);
  const relay = mode === 'relay' ? relayBus() : undefined;
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

if (cluster.isPrimary) await primary();
else {
  if (cluster.worker?.id === 1) {
    await (mode === 'relay' ? conformance() : silent());
    process.disconnect();
  }
}
