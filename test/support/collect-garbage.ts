// A full garbage collection on demand, on every runtime that the tests run on.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const { Bun } = globalThis as { Bun?: { gc(synchronous: boolean): void } };

export const collectGarbage: () => void = Bun === undefined ? exposedByV8() : () => Bun.gc(true);

function exposedByV8(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
