// The end of the stack may cut the engine off in any of its own calls. Here a call of each kind
// fails instead, the first, the second and so on, before it has done its work or after: the engine
// must be sound then, and the task or operation in or out as a whole.
import { PriorityQueue } from '@datastructures-js/priority-queue';
import { expect } from 'chai';
import { Slab } from '../../src/slab/slab.ts';
import { Scenario } from '../programs/soak/faults/scenario.ts';

type Method = (...args: unknown[]) => unknown;

class CutOff extends RangeError {}

const METHODS: readonly [object, string, 'before' | 'after'][] = [
  [Slab.prototype, 'push', 'before'],
  [PriorityQueue.prototype, 'enqueue', 'before'],
  [PriorityQueue.prototype, 'enqueue', 'after'],
  [PriorityQueue.prototype, 'dequeue', 'before'],
  [PriorityQueue.prototype, 'dequeue', 'after'],
];
/** More calls than are made are in vain. */
const CALLS = 80;

describe('An engine that is cut off in one of its own calls', () => {
  for (const [owner, name, when] of METHODS) {
    it(`is sound: ${name}, ${when} it is done`, () => {
      const methods = owner as Record<string, Method>;
      const real = methods[name];
      let cut = 0;
      for (let seed = 1; seed <= 4; seed++) {
        for (let call = 1; call <= CALLS; call++) {
          let left = call;
          let isDeep = false; // the host's wake-ups are at the top of the stack
          methods[name] = function (...args) {
            if (!isDeep || --left !== 0) return real.apply(this, args);
            if (when === 'after') real.apply(this, args);
            cut++;
            throw new CutOff();
          };
          const perform = (action: () => void): boolean => {
            isDeep = true;
            try {
              action();
            } catch (error) {
              if (!(error instanceof CutOff)) throw error;
            } finally {
              isDeep = false;
            }
            return true;
          };
          const takes = (error: unknown): void => {
            if (!(error instanceof CutOff)) throw error;
          };
          const scenario = new Scenario(seed, () => {}, takes, perform, { waits: false, extras: false });
          try {
            scenario.play(40);
          } finally {
            methods[name] = real;
          }
          scenario.end();
        }
      }
      expect(cut).to.be.above(0);
    });
  }
});
