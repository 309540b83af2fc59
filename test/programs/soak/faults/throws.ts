// A scenario, played as often as it has callbacks. Each time another callback throws: the first,
// the second, up to the last. The engine must stay sound, and the error must arrive once.
import { type Counts, count, holds, type Load } from '../load.ts';
import { Scenario } from './scenario.ts';

const ACTIONS = 60;

class Thrown extends Error {}

/** Plays it with a throw of callback `at`; false if it has fewer. */
function play(seed: number, at: number): boolean {
  let callbacks = 0;
  let arrived = 0;
  const take = (error: unknown): void => {
    if (!(error instanceof Thrown)) throw error;
    arrived++;
  };
  const onCallback = (): void => {
    if (++callbacks === at) throw new Thrown();
  };
  let wrong: unknown;
  const onError = (error: unknown): void => {
    if (error instanceof Thrown) arrived++;
    else wrong ??= error;
  };
  const perform = (action: () => void): boolean => {
    try {
      action();
    } catch (error) {
      take(error);
    }
    return true;
  };
  const scenario = new Scenario(seed, onCallback, onError, perform);
  scenario.play(ACTIONS);
  scenario.end();
  if (wrong !== undefined) throw wrong;
  // A throw of an attempt rejects its promise, and goes nowhere else.
  holds(arrived <= 1, () => `the error arrived ${arrived} times`);
  return callbacks >= at;
}

export const load: Load = {
  run(seed: number, counts: Counts): void {
    for (let scenario = 0; scenario < 3; scenario++) {
      for (let at = 1; play(seed + scenario, at); at++) count(counts, 'throws');
    }
  },
};
