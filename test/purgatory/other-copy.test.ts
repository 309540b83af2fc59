import { expect } from 'chai';
import { ManualClock, Purgatory } from '../../src/index.ts';
import type { DelayedOperation as Base } from '../../src/purgatory/delayed-operation.ts';

describe('An operation of another copy of the package', () => {
  it('is parked, and expires', async () => {
    const copy = new URL('../../src/purgatory/delayed-operation.ts?copy', import.meta.url).href;
    const { DelayedOperation } = (await import(copy)) as { DelayedOperation: typeof Base };
    let expired = 0;
    class Op extends DelayedOperation {
      override tryComplete(): boolean {
        return false;
      }
      override onComplete(): void {}
      override onExpiration(): void {
        expired++;
      }
    }
    const clock = new ManualClock();
    const purgatory = new Purgatory('p', { clock });
    expect(purgatory.tryCompleteElseWatch(new Op(5), ['k'])).to.equal(false);
    clock.advance(5);
    expect(expired).to.equal(1);
    purgatory.close();
  });
});
