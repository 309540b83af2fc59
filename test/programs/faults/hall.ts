// Many buses in this process, each with a purgatory, over one engine.
//
// Ground rules. They stand for as many processes. So times are those of one loop that does the work
// of all, and what the engine counts is as it would be. ECHO_MS is short, because a bus broadcasts
// for 1.25 times that before it routes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, BusOptions } from '../../../src/bus/bus-options.ts';
import { Purgatory } from '../../../src/index.ts';
import { type Engine, startNats, startRedis } from '../../support/engines.ts';
import { openBus } from './open-bus.ts';
import type { Result } from './row.ts';

export const ECHO_MS = 500;
const LIMIT_MS = 30_000;
/** The deadline of a wait that is to stay. */
export const LONG_MS = 600_000;

export const isFullSize = (parked: number): boolean => parked >= 100_000;
export const never = (): undefined => undefined;

/** Resolves with the ms that it took until `holds`. Rejects, with `what`, after LIMIT_MS. */
export async function msUntil(what: string, holds: () => boolean | Promise<boolean>): Promise<number> {
  const beganMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - beganMs > LIMIT_MS) throw new Error(`Not within ${LIMIT_MS} ms: ${what}`);
    await sleep(2);
  }
  return performance.now() - beganMs;
}

/** Runs `use` with a server of its own, of Redis or of NATS. */
export async function withEngine(
  name: string,
  use: (engine: Engine) => Promise<Result[]>,
): Promise<Result[]> {
  const engine = await (name === 'redis' ? startRedis() : startNats());
  try {
    return await use(engine);
  } finally {
    await engine.stop();
  }
}

export class Hall {
  readonly buses: Bus[] = [];
  readonly purgatories: Purgatory<string>[] = [];
  readonly #closes: (() => Promise<unknown>)[] = [];

  /** They are live, and route if they are to. */
  static async open(engine: string, port: number, count: number, options: BusOptions): Promise<Hall> {
    const hall = new Hall();
    for (let i = 0; i < count; i++) {
      const { bus, close } = await openBus(engine, port, { echoMs: ECHO_MS, ...options });
      hall.buses.push(bus);
      hall.purgatories.push(new Purgatory<string>('hall', { bus }));
      hall.#closes.push(close);
    }
    await hall.live();
    if (options.routing === 'interest') await sleep(1.3 * ECHO_MS);
    return hall;
  }

  /** All are live, and all that they watch is acknowledged. */
  live(): Promise<number> {
    return msUntil('all are live', () =>
      this.buses.every((bus) => bus.state === 'live' && bus.snapshot().acknowledgementsPending === 0),
    );
  }

  /** The sweeps of all. */
  sweeps(): number {
    return this.buses.reduce((sum, bus) => sum + bus.snapshot().totals.sweeps, 0);
  }

  async end(): Promise<void> {
    for (const purgatory of this.purgatories) purgatory.close();
    await Promise.all(this.buses.map((bus) => bus.close()));
    for (const close of this.#closes) await close();
  }
}
