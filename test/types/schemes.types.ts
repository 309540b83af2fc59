import { expectTypeOf } from 'expect-type';
import { Purgatory, type Timer } from 'purgatory';
import {
  HashedWheelTimer,
  HeapTimer,
  HierarchicalWheelTimer,
  OrderedListTimer,
  SimpleWheelTimer,
  SortedHashedWheelTimer,
  type Timeout,
  UnorderedListTimer,
} from 'purgatory/schemes';

// Each is a Timer, and a purgatory takes it.
const schemes: Timer[] = [
  new UnorderedListTimer(),
  new OrderedListTimer(),
  new HeapTimer({ tickMs: 1 }),
  new SimpleWheelTimer({ wheelSize: 64 }),
  new SortedHashedWheelTimer({ wheelSize: 64 }),
  new HashedWheelTimer({ tickDurationMs: 100, ticksPerWheel: 512, maxPendingTimeouts: 5 }),
  new HierarchicalWheelTimer({ levels: [60, 60] }),
];
for (const timer of schemes) new Purgatory('any scheme', { timer });
// @ts-expect-error a list has no wheel
new UnorderedListTimer({ wheelSize: 64 });

// Netty's words.
const netty = new HashedWheelTimer();
netty.newTimeout((self) => expectTypeOf(self).toEqualTypeOf<Timeout>(), 5);
netty.newTimeout({ run: (self) => expectTypeOf(self).toEqualTypeOf<Timeout>() }, 5);
expectTypeOf(netty.stop()).toEqualTypeOf<Timeout[]>();
