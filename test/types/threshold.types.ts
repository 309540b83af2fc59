import { expectTypeOf } from 'expect-type';
import type { DelayedOperation, WaitResult } from 'purgatory';
import { ThresholdOperation, ThresholdPurgatory } from 'purgatory/threshold';

// Values are numbers unless another type is given; both kinds of an offset are.
// Keys are strings unless another type is given.
const offsets = new ThresholdPurgatory('offsets');
expectTypeOf(offsets.get('p')).toEqualTypeOf<number | undefined>();
expectTypeOf(offsets.awaitAtLeast('p', 5, { timeoutMs: 5 })).toEqualTypeOf<Promise<WaitResult<number>>>();
expectTypeOf(offsets).toExtend<Disposable>();
// @ts-expect-error a key that is no string
offsets.advance(['p'], 5);
// @ts-expect-error a bigint where values are numbers
offsets.advance('p', 5n);

const big = new ThresholdPurgatory<string, bigint>('big');
expectTypeOf(big.awaitAtLeast('p', 5n, { timeoutMs: 5 })).toEqualTypeOf<Promise<WaitResult<bigint>>>();

// A ThresholdOperation needs an answer, and no condition.
class Ack extends ThresholdOperation {
  override onComplete(): void {}
}
expectTypeOf<Ack>().toExtend<DelayedOperation>();
const acks = new ThresholdPurgatory<string, number, Ack>('acks');
expectTypeOf(acks.close()).toEqualTypeOf<Ack[]>();
