import { expect } from 'chai';
import { bundled } from '../../support/bundled.ts';
import { runNode } from '../../support/child.ts';
import { type Engine, engines, startNats, startPostgres, startRedis } from '../../support/engines.ts';
import { itWith } from '../../support/needs.ts';

const STATES = [
  'idle',
  'a hint to send',
  'its client ended',
  'not connected yet',
  'engine stopped',
  'engine killed',
  'engine gone',
];
const CLIENTS = [
  ['ioredis', 'redis', startRedis],
  ['node-redis', 'redis', startRedis],
  ['nats', 'nats', startNats],
  ['postgres', 'postgres', startPostgres],
] as const;

describe('close() of a bus', () => {
  for (const [client, program, start] of CLIENTS) {
    itWith(
      engines[program],
      `settles within echoTimeoutMs, whatever the engine does, and then nothing keeps the process alive: ${client}`,
      async () => {
        const engine: Engine = await start();
        try {
          const child = await bundled('test/engines/bus/children/closes.ts');
          const args = [child, client, `${engine.port}`, `${engine.pid}`];
          const { code, stdout, stderr } = await runNode(args);
          // Without an engine NATS's own `connect` rejects: there is nothing to make a bus of.
          const states = client === 'nats' ? STATES.slice(0, -1) : STATES;
          const lines = stdout.trim().split('\n');
          const closed = states.map((state) => `${state}: closed`);
          expect([lines, stderr, code]).to.deep.equal([closed, '', 0]);
        } finally {
          await engine.stop();
        }
      },
    );
  }
});
