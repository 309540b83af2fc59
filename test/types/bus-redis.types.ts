import { expectTypeOf } from 'expect-type';
import { Redis } from 'ioredis';
import { Redis as Valkey } from 'iovalkey';
import type { Bus } from 'purgatory/bus';
import { redisBus } from 'purgatory/bus/redis';
import { createClient } from 'redis';

// The clients of users, as they are.
expectTypeOf(redisBus(new Redis())).toEqualTypeOf<Bus>();
expectTypeOf(redisBus(new Valkey())).toEqualTypeOf<Bus>();
expectTypeOf(redisBus(createClient(), { prefix: 'test' })).toEqualTypeOf<Bus>();

// @ts-expect-error no client
redisBus({ host: 'localhost' });
