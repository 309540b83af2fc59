import { expectTypeOf } from 'expect-type';
import { SystemTimer } from 'purgatory';
import { IdleTimeouts } from 'purgatory/idle';

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
expectTypeOf(idle.close()).toEqualTypeOf<Connection[]>();
new IdleTimeouts<Connection>('idle');
// @ts-expect-error no connection
idle.touch('connection');
