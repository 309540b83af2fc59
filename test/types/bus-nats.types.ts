import { connect } from '@nats-io/transport-node';
import { expectTypeOf } from 'expect-type';
import type { Bus } from 'purgatory/bus';
import { natsBus } from 'purgatory/bus/nats';

expectTypeOf(natsBus(await connect())).toEqualTypeOf<Bus>();
expectTypeOf(natsBus(() => connect({ servers: 'localhost' }))).toEqualTypeOf<Bus>();
// @ts-expect-error a promise of a connection is none
natsBus(connect());
