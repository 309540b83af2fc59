import { createServer } from 'node:http';
import { expectTypeOf } from 'expect-type';
import { Purgatory, SystemTimer } from 'purgatory';
import { createInspector } from 'purgatory/inspector';
import { ThresholdPurgatory } from 'purgatory/threshold';

const inspector = createInspector({
  purgatories: [new Purgatory('one'), new ThresholdPurgatory('two')],
  timers: [new SystemTimer()],
  path: '/inspector',
});
expectTypeOf(inspector.listen({ port: 0 })).toEqualTypeOf<Promise<URL>>();
expectTypeOf(inspector.close()).toEqualTypeOf<Promise<void>>();
createServer((request, response) => {
  expectTypeOf(inspector.handle(request, response)).toBeBoolean();
});
