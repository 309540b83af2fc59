// node --import tsx examples/rpc-deadlines/main.ts [calls]
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PurgatoryError, SystemTimer } from 'purgatory';
import { RpcClient } from './client.ts';
import { RpcServer } from './server.ts';

const calls = Number(process.argv[2] ?? 20_000);
const TIMEOUT_MS = 100;

let abandoned = 0;
const server = new RpcServer({
  // One call in fifty hangs: its caller times out, and the handler is told to stop.
  lookup: async (n, signal) => {
    signal.addEventListener('abort', () => abandoned++);
    await sleep(Number(n) % 50 === 0 ? 60_000 : Number(n) % 20, undefined, { signal });
    return Number(n) * 2;
  },
});
const timer = new SystemTimer();
const client = new RpcClient(connect(await server.listen(0), '127.0.0.1'), timer);

const counts = { answered: 0, expired: 0, mostPending: 0 };
const inFlight: Promise<void>[] = [];
for (let n = 1; n <= calls; n++) {
  const call = client.call('lookup', n, { timeoutMs: TIMEOUT_MS }).then(
    () => void counts.answered++,
    (error: unknown) => {
      if (!(error instanceof PurgatoryError && error.code === 'ERR_PURGATORY_TIMEOUT')) throw error;
      counts.expired++;
    },
  );
  inFlight.push(call);
  counts.mostPending = Math.max(counts.mostPending, timer.size);
  if (n % 200 === 0) await sleep(2);
}
await Promise.all(inFlight);
console.log(
  `${calls} calls with a deadline of ${TIMEOUT_MS} ms: ${counts.answered} answered, ${counts.expired} expired`,
);
console.log(`most deadlines pending at once: ${counts.mostPending}, left: ${timer.size}`);
client.close();
await server.close();
console.log(`handlers told to stop: ${abandoned}`);
