// `node --import tsx test/programs/faults/simulation.ts`: what both routings cost 200
// processes, as the table of docs/contributors/routing.md.
//
// Ground rules. The processes are buses on a LocalHub, so what is counted is what the code does:
// hints that processes receive, and channels that they subscribe to or leave. What one of these
// costs is measured first, on a real Redis: CPU time of the engine and the process together. Time
// is simulated, so a busy machine changes only these prices, and them together.
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '../../../src/bus/connection.ts';
import type { Routing } from '../../../src/bus/membership/bus-member.ts';
import { LocalHub } from '../../../src/bus/transports/local-hub.ts';
import { ManualClock, Purgatory } from '../../../src/index.ts';
import { turn } from '../../support/turns.ts';
import { EngineView } from './engine-view.ts';
import { never } from './hall.ts';
import { openBus } from './open-bus.ts';

/** P processes, H hints/s, W waits/s on fresh keys, K keys that are waited for. */
interface Setting {
  readonly processes: number;
  readonly hints: number;
  readonly waits: number;
  readonly keys: number;
}

/** A second of all processes together. */
interface Load {
  /** Hints that processes receive. */
  readonly deliveries: number;
  /** Channels that are subscribed to or left. */
  readonly changes: number;
}

/** CPU time in us: of the engine, and of the process at its other end. */
interface Prices {
  readonly delivery: number;
  readonly change: number;
}

const BASE: Setting = { processes: 200, hints: 20_000, waits: 2_000, keys: 200_000 };
const VALUES = {
  hints: [200, 2_000, 20_000],
  waits: [200, 2_000, 20_000],
  keys: [2_000, 200_000],
  processes: [4, 24, 200],
} as const;

const SETTINGS: readonly Setting[] = [
  BASE,
  ...Object.entries(VALUES)
    .flatMap(([of, all]) => all.map((value) => ({ ...BASE, [of]: value })))
    .filter((each) => Object.entries(BASE).some(([of, value]) => each[of as keyof Setting] !== value)),
  // Few hints, and many waits on fresh keys.
  { ...BASE, hints: 200, waits: 20_000 },
  { ...BASE, processes: 24, hints: 200, waits: 20_000 },
];

const LINGER_MS = 60_000;
/** Long, because echoes are not what is counted. A bus broadcasts for 1.25 times that. */
const ECHO_MS = 40_000;
const STEP_MS = 250;
/** How long hints are counted. */
const COUNTED_MS = 100;

/** Each channel that is subscribed to is left again later. */
let changes = 0;
const { command } = Connection.prototype;
Connection.prototype.command = function (what, channels, done) {
  if (what === 'subscribe') changes += 2 * channels.length;
  command.call(this, what, channels, done);
};

/** Each key is waited for by one process. A new wait on a fresh key takes the place of the oldest. */
async function simulate(routing: Routing, { processes, hints, waits, keys }: Setting): Promise<Load> {
  const clock = new ManualClock();
  const hub = new LocalHub({ clock });
  const made = Array.from({ length: processes }, () => {
    const bus = hub.bus({ routing, echoMs: ECHO_MS, lingerMs: LINGER_MS });
    return { bus, purgatory: new Purgatory<string>('simulation', { bus, clock, sweepMs: 0 }) };
  });
  const at = (key: number): Purgatory<string> => made[key % processes].purgatory;
  let parked = 0;
  const park = (): void => {
    if (parked >= keys) at(parked - keys).cancelForKey(`${parked - keys}`);
    const key = parked++;
    void at(key)
      .waitFor([`${key}`], never, { timeoutMs: Number.POSITIVE_INFINITY })
      .catch(never);
  };
  while (parked < keys) park();
  const received = (): number => made.reduce((sum, { bus }) => sum + bus.snapshot().totals.received, 0);
  const pass = async (ms: number, stepMs: number, hintsASecond: number): Promise<void> => {
    for (let next = 0, sent = 0, past = 0; past < ms; past += stepMs) {
      for (; next < (waits * (past + stepMs)) / 1_000; next++) park();
      for (; sent < (hintsASecond * (past + stepMs)) / 1_000; sent++) {
        const key = parked - 1 - Math.floor(((sent * 0.618_033_988_7) % 1) * keys);
        // The one that notifies is never the one that waits.
        at(key + 1 + (sent % (processes - 1))).notify(`${key}`);
      }
      await turn();
      clock.advance(stepMs);
    }
  };
  // Channels linger, so their number settles only after lingerMs. A broadcast bus has none.
  if (routing === 'interest') await pass(LINGER_MS + 5_000, STEP_MS, 0);
  const before = { received: received(), changes };
  await pass(COUNTED_MS, 1, hints);
  clock.advance(5);
  const seconds = COUNTED_MS / 1_000;
  const load = {
    deliveries: (received() - before.received) / seconds,
    changes: (changes - before.changes) / seconds,
  };
  for (const { bus, purgatory } of made) {
    purgatory.close();
    void bus.close();
  }
  return load;
}

/** On a real Redis. */
async function prices(): Promise<Prices> {
  const RECEIVERS = 20;
  const HINTS = 3_000;
  const WAITS = 40_000;
  const view = await EngineView.start('redis');
  const opened = await Promise.all(
    Array.from({ length: RECEIVERS + 1 }, () => openBus('redis', view.engine.port, {})),
  );
  const [{ bus: sender }] = opened;
  const [from, ...others] = opened.map(({ bus }) => new Purgatory<string>('prices', { bus }));
  while (opened.some(({ bus }) => bus.state !== 'live')) await sleep(1);
  const used = (began: NodeJS.CpuUsage): number => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000 + view.cpuMs();
  };
  const timed = async (work: () => Promise<void>): Promise<number> => {
    const [began, engine] = [process.cpuUsage(), view.cpuMs()];
    await work();
    return (used(began) - engine) * 1_000;
  };
  const send = async (hints: number): Promise<void> => {
    const { received } = opened[1].bus.snapshot().totals;
    for (let hint = 0; hint < hints; hint++) {
      from.notify(`${hint}`);
      await turn();
      await sender.flush();
    }
    while (opened[1].bus.snapshot().totals.received < received + hints) await sleep(1);
  };
  await send(500); // until it is compiled
  const delivery = (await timed(() => send(HINTS))) / (HINTS * RECEIVERS);
  const routing = await openBus('redis', view.engine.port, { routing: 'interest' });
  const waiting = new Purgatory<string>('prices', { bus: routing.bus });
  while (routing.bus.state !== 'live') await sleep(1);
  const change = await timed(async () => {
    for (let key = 0; key < WAITS; key++) {
      void waiting.waitFor([`${key}`], never, { timeoutMs: 600_000 }).catch(never);
      if (key % 100 === 0) await turn();
    }
    while (routing.bus.snapshot().acknowledgementsPending > 0) await sleep(1);
  });
  const { subscriptions } = routing.bus.snapshot();
  for (const purgatory of [from, ...others, waiting]) purgatory.close();
  for (const { bus, close } of [...opened, routing]) {
    await bus.close();
    await close();
  }
  await view.end();
  return { delivery, change: change / subscriptions };
}

const price = await prices();
console.log(
  `A delivery takes ${price.delivery.toFixed(1)} us of CPU, a change of a subscription ${price.change.toFixed(1)} us.\n`,
);
const priced = (load: Load): Load & { cores: number } => ({
  ...load,
  cores: (load.deliveries * price.delivery + load.changes * price.change) / 1e6,
});
const row = (...cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`);
const round = (value: number): string => Math.round(value).toLocaleString('en');
row(
  'P',
  'H',
  'W',
  'K',
  'broadcast: deliveries/s',
  'interest: deliveries/s',
  '+ changes/s',
  'cores',
  '',
  'better',
);
row(...['---:', '---:', '---:', '---:', '---:', '---:', '---:', '---:', '---:', '---']);
const better = (ratio: number): string => {
  if (ratio > 0.95 && ratio < 1.05) return 'the same';
  return ratio > 1 ? `interest, ${ratio.toFixed(1)} times` : `broadcast, ${(1 / ratio).toFixed(1)} times`;
};
/** By processes and hints: nothing else changes what broadcast costs. */
const broadcasts = new Map<string, Load & { cores: number }>();
for (const setting of SETTINGS) {
  const { processes, hints, waits, keys } = setting;
  const id = `${processes} ${hints}`;
  const broadcast = broadcasts.get(id) ?? priced(await simulate('broadcast', setting));
  broadcasts.set(id, broadcast);
  const interest = priced(await simulate('interest', setting));
  row(
    ...[processes, hints, waits, keys, broadcast.deliveries, interest.deliveries, interest.changes].map(
      round,
    ),
    broadcast.cores.toFixed(2),
    interest.cores.toFixed(2),
    better(broadcast.cores / interest.cores),
  );
}
process.exit();
