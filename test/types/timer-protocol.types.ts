import { expectTypeOf } from 'expect-type';
import type { Timer, TimerTask } from 'purgatory';
import { checkAddable, NOT_HELD, type TaskKeeper } from 'purgatory/timer-protocol';

// A timer from outside keeps tasks by the same protocol as the library's.
expectTypeOf<Timer>().toExtend<TaskKeeper>();
expectTypeOf(checkAddable).parameters.toEqualTypeOf<[TimerTask, TaskKeeper]>();
expectTypeOf(checkAddable).returns.toBeNumber();
expectTypeOf(NOT_HELD).toExtend<number>();
expectTypeOf<TimerTask['$keeper']>().toEqualTypeOf<TaskKeeper | undefined>();
expectTypeOf<TimerTask['$slot']>().toBeNumber();
