// Subscriptions with a prefetch, as in AMQP and STOMP, and a shutdown with grace: docs/recipes/leases.md
import { Queues } from 'purgatory/queues';
import { Semaphore } from 'purgatory/semaphore';

const messages = new Queues('messages');
const prefetch = new Map([['ann', 2]]); // how many may be out, by subscription
const windows = new Semaphore('windows', { units: (subscription) => prefetch.get(subscription) ?? 1 });

/** Delivers until `signal` aborts: then what is not acknowledged comes back to the queue. */
async function subscribe(subscription, signal, send) {
  const wait = { timeoutMs: Infinity, signal, label: subscription };
  const places = new Set();
  try {
    for (;;) {
      const place = await windows.acquire({ ...wait, key: subscription });
      places.add(place);
      const lease = await messages.lease(['news'], { ...wait, leaseMs: Infinity });
      const ack = () => {
        places.delete(place);
        place.release();
        return lease.ack(); // false: the message went back
      };
      send(lease.value, ack);
    }
  } catch (error) {
    if (!signal.aborted && error.code !== 'ERR_PURGATORY_CLOSED') throw error;
  } finally {
    for (const place of places) place.release();
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const [ann, bob] = [new AbortController(), new AbortController()];
const acks = new Map();
const sendTo = (name) => (text, ack) => {
  console.log(name, text);
  acks.set(text, ack);
};
messages.putAll('news', ['one', 'two', 'three', 'four', 'five', 'six']);
const ends = [subscribe('ann', ann.signal, sendTo('ann')), subscribe('bob', bob.signal, sendTo('bob'))];
await turn();
console.log(messages.snapshot().items.leased, 'are out', messages.size, 'are left');
console.log(acks.get('one')()); // a place is free, and the next message goes out
await turn();
prefetch.set('bob', 2);
windows.resize('bob');
await turn();
ann.abort(); // her connection has closed: hers come back to their places
console.log(messages.size, acks.get('three')());

// A shutdown with grace: nothing more goes out, and what is out may be acknowledged for a while.
windows.close();
setTimeout(acks.get('two'), 20);
const { expired } = await messages.idle({ timeoutMs: 100 });
messages.close();
await Promise.all(ends);
console.log(expired, messages.clear('news').join());

/* It prints

ann one
bob two
ann three
3 are out 3 are left
true
ann four
bob five
3 false
true three,four,five,six
*/
