// A queue with visibility timeouts and a dead-letter queue, as in SQS: docs/recipes/leases.md
import { Queues } from 'purgatory/queues';

const MAX_DELIVERIES = 2;
const messages = new Queues('messages');
const leases = new Map(); // id of a message -> its last lease

/** Resolves with one message at least, or with none after `waitMs`. */
async function receive({ max, waitMs, visibilityMs, consumer }) {
  const batch = [];
  while (batch.length < max) {
    const timeoutMs = batch.length === 0 ? waitMs : 0; // only the first is waited for
    const lease = await messages.lease(['images'], { timeoutMs, leaseMs: visibilityMs, label: consumer });
    if (lease.expired) break;
    const { value: message, deliveries } = lease;
    if (deliveries > MAX_DELIVERIES) {
      if (lease.ack()) messages.put('dead letters', message);
      continue;
    }
    leases.set(message.id, lease);
    batch.push({ receipt: `${message.id}/${deliveries}`, body: message.body });
  }
  return batch;
}

/** The lease of a receipt, unless the message was delivered again since. */
function leaseOf(receipt) {
  const [id, deliveries] = receipt.split('/');
  const lease = leases.get(id);
  return lease?.deliveries === Number(deliveries) ? lease : undefined;
}

// False, of these three: the message went back to the queue.
const extend = (receipt, visibilityMs) => leaseOf(receipt)?.extend(visibilityMs) ?? false;
const nack = (receipt, afterMs) => leaseOf(receipt)?.nack({ afterMs }) ?? false;
function remove(receipt) {
  const isRemoved = leaseOf(receipt)?.ack() ?? false;
  if (isRemoved) leases.delete(receipt.split('/')[0]);
  return isRemoved;
}

const textOf = (batch) => batch.map(({ body }) => body).join(', ');
const ask = { waitMs: 1_000, visibilityMs: 10_000, consumer: 'worker 7' };
for (const id of ['1', '2', '3', '4']) messages.put('images', { id, body: `${id}.png` });
const [one, two, three] = await receive({ ...ask, max: 3, visibilityMs: 1_500 });
console.log(remove(two.receipt), extend(one.receipt, 1_600), messages.snapshot().items.leasedLongest.label);
const [four] = await receive({ ...ask, max: 1 });
console.log(four.body, nack(four.receipt, 0), nack(three.receipt, 150)); // 3 comes back later
while (messages.size < 3) await new Promise((resolve) => setTimeout(resolve, 10)); // 1 ends last
console.log(remove(one.receipt), textOf(await receive({ ...ask, max: 2 })));
nack('1/2', 0);
console.log(textOf(await receive({ ...ask, max: 1 })), messages.sizeOf('dead letters'));

messages.close(); // those that are out come back: store what is left
console.log(messages.size, textOf(messages.clear('images')));

/* It prints

true true worker 7
4.png true true
false 1.png, 3.png
4.png 1
3 3.png, 4.png
*/
