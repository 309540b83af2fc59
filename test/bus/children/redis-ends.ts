// Must end by itself: hints are sent, the bus is closed, the client is quit.
import { Redis } from 'ioredis';
import { redisBus } from '../../../src/bus/transports/redis.ts';

const client = new Redis(Number(process.argv[2]), '127.0.0.1');
const bus = redisBus(client);
const { publish } = bus.join({ name: 'orders', hinted: () => false, sweep: (ended) => ended(0) });
publish('42');
await bus.flush();
publish('43');
await bus.close();
await client.quit();
