// Buses over real engines, as tests of the transports need them.
import { expect } from 'chai';
import type { Bus } from '../../src/bus/bus-options.ts';
import { until } from '../support/turns.ts';
import { Listener } from './rig.ts';

const statesOf = (buses: readonly Bus[]): string[] => buses.map(({ state }) => state);

export async function untilLive(...buses: Bus[]): Promise<void> {
  await until(() => expect(statesOf(buses)).to.deep.equal(buses.map(() => 'live')), 'all are live');
}

/** Resolves with the errors that a refused bus has told, once it is closed. */
export async function refused(open: (onError: (error: unknown) => void) => Bus): Promise<BusError[]> {
  const { errors, onError } = listening();
  const bus = open(onError);
  await until(() => expect(bus.state).to.equal('closed'), 'the bus is closed');
  return errors;
}

export interface BusError extends Error {
  readonly code?: string;
}

/** An `onError`, and what it was told. */
export function listening(): { errors: BusError[]; onError(error: unknown): void } {
  const errors: BusError[] = [];
  return { errors, onError: (error) => void errors.push(error as BusError) };
}

/**
 * Closes after each test the buses that were given to `track`, then calls what was given to `later`,
 * the last first.
 */
export function closedAfterEach(): { track(bus: Bus): Bus; later(end: () => unknown): void } {
  const buses: Bus[] = [];
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    await Promise.all(buses.splice(0).map((bus) => bus.close()));
    for (const end of ends.splice(0).reverse()) await end();
  });
  return {
    track: (bus) => {
      buses.push(bus);
      return bus;
    },
    later: (end) => void ends.push(end),
  };
}

/** A member on each of two buses, once both are live. */
export async function livePair(one: Bus, other: Bus) {
  const [mine, others] = [new Listener('orders'), new Listener('orders')];
  const { publish } = one.join(mine);
  const { publish: publishThere } = other.join(others);
  await untilLive(one, other);
  return { mine, others, publish, publishThere };
}

export async function untilHeard({ heard }: Listener, key: string): Promise<void> {
  await until(() => expect(heard).to.include(key), `${key} is heard`);
}
