import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from '../../property/runs.ts';
import { runNode } from '../../support/child.ts';

/** Few frames, and each call is one frame, of the same size from the first call to the last. */
const SMALL_STACK = ['--no-opt', '--no-maglev', '--no-sparkplug', '--stack-size=200'];
const seeds = fc.nat({ max: 2 ** 31 - 1 });

describe('Property: a scenario with callbacks of every kind', () => {
  it('leaves the engine sound, wherever in a callback the stack ends (behaviour 22)', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        const child = 'test/host/property/children/overflows.ts';
        const { code, stdout, stderr } = await runNode([...SMALL_STACK, '--import', 'tsx', child, `${seed}`]);
        expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
        expect(Number(stdout)).to.be.above(0);
      }),
      { ...runs(3), endOnFailure: true },
    );
  });
});
