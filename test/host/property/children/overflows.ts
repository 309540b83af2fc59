// A scenario, played with less and less of the stack left, so that it overflows at every depth:
// `overflows SEED`. It prints how many overflows there were. It needs a small stack whose frames are
// those of the source (SMALL_STACK in overflows.test.ts).
//
// Ground rules. Where the stack ends in user code, the engine must be sound, as after any throw.
// Where it ends inside the engine's own calls, these are cut off between two steps of a change: the
// scenario ends there. Callbacks need more of the stack than the engine's own calls, so that nearly
// all overflows are theirs.
import { Scenario } from '../scenario.ts';

const ACTIONS = 40;
/** The most frames that a scenario needs. */
const FRAMES = 300;
/** Frames that a callback needs: more than the engine's own calls around it. */
const CALLBACK_FRAMES = 60;

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
  const nothing = (): void => {};
  const perform = (action: () => void): boolean => {
    at(1, action);
    return true;
  };
  for (let played = 0; played < 20; played++) {
    const scenario = new Scenario(seed + played, nothing, nothing, perform);
    scenario.play(ACTIONS);
    scenario.end();
  }
}

/** Whether the stack ended in user code: here, or in the scenario. */
function isOfUser({ stack = '' }: RangeError): boolean {
  const top = stack.split('\n').find((line) => line.includes('/'));
  return top?.includes('/property/') === true;
}

const seed = Number(process.argv[2]);
warmUp(seed);
const bottom = deepest();
const errors: unknown[] = [];
let overflows = 0;
const onError = (error: unknown): void => {
  errors[errors.length] = error; // no call: there is no room for one
};
// What nobody else takes is thrown in a later turn.
process.on('uncaughtException', onError);
const isSound = (): boolean => {
  const caught = errors.splice(0);
  const other = caught.find((error) => !(error instanceof RangeError));
  if (other !== undefined) {
    console.error(other);
    process.exit(1);
  }
  overflows += caught.length;
  return (caught as RangeError[]).every(isOfUser);
};
for (let frames = 0; frames < FRAMES; frames++) {
  const perform = (action: () => void): boolean => {
    try {
      at(bottom - frames, action);
    } catch (error) {
      onError(error);
    }
    return isSound();
  };
  const callback = (): void => at(CALLBACK_FRAMES, () => {});
  const scenario = new Scenario(seed + frames, callback, onError, perform);
  try {
    if (scenario.play(ACTIONS)) scenario.end();
  } catch (error) {
    console.error(`with ${frames} frames left:`, error);
    process.exit(1);
  }
}
console.log(overflows);
