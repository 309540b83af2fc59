import { expectTypeOf } from 'expect-type';
import { SystemTimer } from 'purgatory';
import { type IdleListener, IdleTimeouts } from 'purgatory/idle';

interface Connection {
  destroy(): void;
}
declare const connection: Connection;

const idle = new IdleTimeouts<Connection>('idle', {
  timeoutMs: 5,
  timer: new SystemTimer(),
  onIdle: (element) => expectTypeOf(element).toEqualTypeOf<Connection>(),
  onError: (error, element) => {
    expectTypeOf(error).toBeUnknown();
    expectTypeOf(element).toEqualTypeOf<Connection>();
  },
});
expectTypeOf(idle.touch(connection)).toBeVoid();
expectTypeOf(idle.touch(connection, 5)).toBeVoid();
expectTypeOf(idle.remainingMs(connection)).toEqualTypeOf<number | undefined>();
expectTypeOf(idle.close()).toEqualTypeOf<Connection[]>();
expectTypeOf<IdleListener<Connection>>().toEqualTypeOf<(element: Connection) => void>();
expectTypeOf(idle.refresh(connection)).toBeBoolean();
expectTypeOf(idle.refresh(connection, 5)).toBeBoolean();
expectTypeOf(idle.timeoutMs).toEqualTypeOf<number | undefined>();
expectTypeOf(idle.unref().ref()).toEqualTypeOf<IdleTimeouts<Connection>>();
new IdleTimeouts<Connection>('idle');
// @ts-expect-error no connection
idle.touch('connection');
