// `node --import tsx test/programs/faults/interest.ts`: what interest routing saves and costs, measured on a
// real Redis, and simulated for 200 processes on a LocalHub.
//
// Ground rules. All buses live in this process, so the times are those of one loop that does the
// work of many. What the engine sends is the engine's own count.
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Bus } from '../../../src/bus/bus.ts';
import { LocalHub } from '../../../src/bus/transports/local-hub.ts';
import { redisBus } from '../../../src/bus/transports/redis.ts';
import { ManualClock, Purgatory } from '../../../src/index.ts';
import type { Routing } from '../../../src/membership/bus-member.ts';
import { startRedis } from '../../support/engines.ts';

const ECHO_MS = 500;
const redis = await startRedis();
const admin = new Redis(redis.port, '127.0.0.1');
const print = (...cells: unknown[]): void => console.log(`| ${cells.join(' | ')} |`);
const never = (): undefined => undefined;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function infoOf(section: string, field: string): Promise<number> {
  const info = await admin.info(section);
  return Number(new RegExp(`${field}:(\\d+)`).exec(info)?.[1]);
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(2);
}

class Hall {
  readonly clients: Redis[] = [];
  readonly buses: Bus[] = [];
  readonly purgatories: Purgatory<string>[] = [];

  constructor(count: number, prefix: string, routing: Routing, lingerMs?: number) {
    for (let i = 0; i < count; i++) {
      const client = new Redis(redis.port, '127.0.0.1');
      const bus = redisBus(client, { prefix, routing, echoMs: ECHO_MS, lingerMs });
      this.clients.push(client);
      this.buses.push(bus);
      this.purgatories.push(new Purgatory<string>('hall', { bus }));
    }
  }

  async ready(): Promise<this> {
    await until(() => this.buses.every((bus) => bus.state === 'live'));
    await sleep(2 * ECHO_MS);
    await until(() => this.buses.every((bus) => bus.snapshot().acknowledgementsPending === 0));
    return this;
  }

  async end(): Promise<void> {
    for (const purgatory of this.purgatories) purgatory.close();
    await Promise.all(this.buses.map((bus) => bus.close()));
    for (const client of this.clients) client.disconnect();
  }
}

async function bytes(routing: Routing): Promise<number> {
  const hall = new Hall(24, `bytes-${routing}`, routing);
  for (const [i, purgatory] of hall.purgatories.entries()) {
    for (let k = 0; k < 100; k++) {
      void purgatory.waitFor([`${i} ${k}`], never, { timeoutMs: 600_000 }).catch(never);
    }
  }
  await hall.ready();
  const before = await infoOf('stats', 'total_net_output_bytes');
  for (let hint = 0; hint < 5_000; hint++) {
    hall.purgatories[hint % 24].notify(`${(hint * 7) % 24} ${hint % 100}`);
    await turn();
    if (hint % 10 === 0) await sleep(1);
  }
  await sleep(100);
  const sent = (await infoOf('stats', 'total_net_output_bytes')) - before;
  await hall.end();
  return sent;
}

/** From a wait on a fresh key to its acknowledgement, at `rate` waits a second. */
async function parkToSafe(rate: number): Promise<{ p50: number; p99: number; waits: number }> {
  const hall = await new Hall(1, `safe-${rate}`, 'interest', 1_000).ready();
  const [purgatory] = hall.purgatories;
  const [bus] = hall.buses;
  const tookMs: number[] = [];
  const beganMs = performance.now();
  let key = 0;
  while (performance.now() - beganMs < 3_000) {
    const due = ((performance.now() - beganMs) * rate) / 1_000;
    const last = performance.now();
    const first = key;
    for (; key < due; key++) {
      void purgatory.waitFor([`fresh ${key}`], never, { timeoutMs: 60_000 }).catch(never);
    }
    await Promise.resolve();
    while (bus.snapshot().acknowledgementsPending > 0) await turn();
    if (key > first) tookMs.push(performance.now() - last);
    for (let parked = first; parked < key; parked++) purgatory.cancelForKey(`fresh ${parked}`);
    await turn();
  }
  await hall.end();
  tookMs.sort((x, y) => x - y);
  const at = (share: number): number => tookMs[Math.floor(tookMs.length * share)];
  return { p50: at(0.5), p99: at(0.99), waits: key };
}

async function allChannels(): Promise<void> {
  const before = await infoOf('memory', 'used_memory');
  const hall = await new Hall(1, 'all', 'interest', 200).ready();
  const [purgatory] = hall.purgatories;
  const [bus] = hall.buses;
  const beganMs = performance.now();
  for (let i = 0; i < 600_000; i++) {
    void purgatory.waitFor([`key ${i}`], never, { timeoutMs: 600_000 }).catch(never);
    if (i % 5_000 === 0) await turn();
  }
  await until(() => bus.snapshot().acknowledgementsPending === 0);
  const { subscriptions } = bus.snapshot();
  print(
    'channels subscribed',
    subscriptions,
    `${(performance.now() - beganMs).toFixed(0)} ms with 600,000 parks`,
  );
  print(
    'memory in Redis',
    `${(((await infoOf('memory', 'used_memory')) - before) / 2 ** 20).toFixed(1)} MB`,
    '',
  );
  const cutMs = performance.now();
  const { connection } = bus.snapshot().totals.gaps;
  await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await until(() => bus.snapshot().totals.gaps.connection > connection && bus.state === 'live');
  print('CLIENT KILL: live again', `${(performance.now() - cutMs).toFixed(0)} ms`, '');
  purgatory.close();
  const leftMs = performance.now();
  await until(() => bus.snapshot().subscriptions === 0);
  print('lingerMs 200: all channels left', `${(performance.now() - leftMs).toFixed(0)} ms`, '');
  await hall.end();
}

/** Deliveries a second of all processes together: what the hub hands to buses, echoes left out. */
async function simulate(routing: Routing, processes: number, hints: number, keys: number): Promise<number> {
  const clock = new ManualClock();
  const hub = new LocalHub({ clock });
  const made = Array.from({ length: processes }, () => {
    const bus = hub.bus({ routing, echoMs: 1_000 });
    return { bus, purgatory: new Purgatory<string>('sim', { bus, clock }) };
  });
  for (let key = 0; key < keys; key++) {
    const { purgatory } = made[key % processes];
    void purgatory.waitFor([`${key}`], never, { timeoutMs: 3_600_000 }).catch(never);
  }
  for (let ms = 0; ms < 3_000; ms += 50) {
    clock.advance(50);
    await turn();
  }
  const received = (): number =>
    made.reduce((sum, { bus }) => {
      const { totals } = bus.snapshot();
      return sum + totals.received;
    }, 0);
  const before = received();
  const MS = 100;
  for (let ms = 0, sent = 0; ms < MS; ms++) {
    for (; sent < (hints * (ms + 1)) / 1_000; sent++) {
      made[(sent * 7) % processes].purgatory.notify(`${(sent * 31) % keys}`);
    }
    await turn();
    clock.advance(1);
  }
  clock.advance(5);
  const deliveries = ((received() - before) * 1_000) / MS;
  for (const { bus, purgatory } of made) {
    purgatory.close();
    void bus.close();
  }
  return deliveries;
}

try {
  print('what', 'measured', '');
  print('---', '---:', '---');
  const [broadcast, interest] = [await bytes('broadcast'), await bytes('interest')];
  print('24 buses, 5,000 hints: bytes sent, broadcast', broadcast, '');
  print('... interest', interest, `${(interest / broadcast).toFixed(3)} of broadcast`);
  const { p50, p99, waits } = await parkToSafe(20_000);
  print(
    `park to acknowledged, ${waits} fresh keys in 3 s`,
    `p50 ${p50.toFixed(2)} ms`,
    `p99 ${p99.toFixed(2)} ms`,
  );
  print('simulation: P, H, K', 'broadcast, hints received/s', 'interest');
  for (const [processes, hints, keys] of [
    [4, 20_000, 20_000],
    [24, 20_000, 20_000],
    [100, 20_000, 20_000],
    [200, 2_000, 20_000],
    [200, 20_000, 20_000],
    [200, 20_000, 200_000],
  ]) {
    print(
      `${processes}, ${hints}, ${keys}`,
      (await simulate('broadcast', processes, hints, keys)).toFixed(0),
      (await simulate('interest', processes, hints, keys)).toFixed(0),
    );
  }
  await allChannels();
} finally {
  admin.disconnect();
  await redis.stop();
}
process.exit();
