// A scenario, played with less and less of the stack left. So it overflows at every depth: in
// callbacks, and in the engine's own calls between them. Whatever was cut off there, the engine
// must stay sound.
import { type Counts, count, holds, type Load } from '../load.ts';
import { Scenario } from './scenario.ts';

const ACTIONS = 40;
/** The most frames that a scenario needs. */
const FRAMES = 120;
const OPTIONS = { waits: false, extras: false };

function at(depth: number, action: () => void): void {
  if (depth <= 0) action();
  else at(depth - 1, action);
}

/** How deep `at` may go from here. */
function deepest(): number {
  let from = 0;
  let to = 1_000_000;
  while (to - from > 1) {
    const middle = (from + to) >>> 1;
    try {
      at(middle, () => {});
      from = middle;
    } catch {
      to = middle;
    }
  }
  return from;
}

/** Code that is not compiled yet needs a deep stack when it is called first. */
function warmUp(seed: number): void {
  for (let played = 0; played < 20; played++) {
    const nothing = (): void => {};
    const scenario = new Scenario(seed + played, nothing, nothing, (action) => at(1, action), OPTIONS);
    scenario.play(ACTIONS);
    scenario.end();
  }
}

export const load: Load = {
  run(seed: number, counts: Counts): void {
    warmUp(seed);
    const bottom = deepest();
    let wrong: unknown;
    const onError = (error: unknown): void => {
      if (error instanceof RangeError) count(counts, 'overflows');
      else wrong ??= error;
    };
    // An error that nobody handles is thrown in a later turn.
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', onError);
    for (let frames = 0; frames < FRAMES; frames++) {
      const perform = (action: () => void): void => {
        try {
          at(bottom - frames, action);
        } catch (error) {
          onError(error);
        }
      };
      const scenario = new Scenario(seed + frames, () => {}, onError, perform, OPTIONS);
      try {
        scenario.play(ACTIONS);
        scenario.end();
      } catch (error) {
        throw new Error(`with ${frames} frames left`, { cause: error });
      }
      if (wrong !== undefined) throw wrong;
    }
    holds((counts.overflows ?? 0) > 0, () => 'no stack overflowed');
  },
};
