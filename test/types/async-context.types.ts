import { expectTypeOf } from 'expect-type';
import { type DelayedOperation, Purgatory } from 'purgatory';
import { ContextualOperation } from 'purgatory/async-context';

class Fetch extends ContextualOperation {
  override tryComplete(): boolean {
    return this.forceComplete();
  }
  override onComplete(): void {}
}
expectTypeOf<Fetch>().toExtend<DelayedOperation>();
expectTypeOf(new Purgatory<string, Fetch>('fetches').close()).toEqualTypeOf<Fetch[]>();
