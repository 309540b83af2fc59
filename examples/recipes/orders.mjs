// A wait in one process, its event in another: docs/many-processes.md
// npm install purgatory ioredis
import { Redis } from 'ioredis';
import { Purgatory } from 'purgatory';
import { redisBus } from 'purgatory/bus/redis';

const redis = new Redis(process.env.REDIS_URL);
redis.on('error', console.warn); // it connects again by itself
const bus = redisBus(redis);
const orders = new Purgatory('orders', { bus });

/** In any process: waits until the order has shipped. */
function shipment(id) {
  const shipped = async () => {
    try {
      return await redis.get(id); // null: not yet
    } catch (error) {
      console.warn(error); // the store is out of reach: wait on
    }
  };
  return orders.waitFor([id], shipped, { timeoutMs: 30_000 });
}

/** In any process: first the change, then the event. */
async function ship(id, parcel) {
  await redis.set(id, parcel);
  orders.notify(id);
}

setTimeout(ship, 100, 'order-7', 'parcel-1');
console.log(await shipment('order-7'));

orders.close();
await bus.close(); // then the client, which is yours
redis.disconnect(); // `quit` waits for a Redis that is down

/* It prints

{ expired: false, value: 'parcel-1' }
*/
