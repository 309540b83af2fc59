// A queue with visibility timeouts, as in SQS: docs/recipes/leases.md
import { randomUUID } from 'node:crypto';
import { IdleTimeouts } from 'purgatory/idle';
import { Queues } from 'purgatory/queues';

const messages = new Queues('messages');
const out = new Map(); // receipt -> what `take` gave
const visibility = new IdleTimeouts('visibility', { onIdle: giveBack });

function giveBack(receipt) {
  messages.putBack(out.get(receipt));
  out.delete(receipt);
}

/** Resolves with one message at least, or with none after `waitMs`. */
async function receive({ max, waitMs, visibilityMs }) {
  const batch = [];
  let taken = await messages.take(['images'], { timeoutMs: waitMs });
  while (taken !== undefined && !taken.expired) {
    const receipt = randomUUID();
    out.set(receipt, taken);
    visibility.touch(receipt, visibilityMs);
    batch.push({ receipt, message: taken.value });
    taken = batch.length < max ? messages.tryTake(['images']) : undefined;
  }
  return batch;
}

// False, of these three: the message went back to the queue.
const extend = (receipt, visibilityMs) => visibility.refresh(receipt, visibilityMs);
const remove = (receipt) => visibility.remove(receipt) && out.delete(receipt);
function nack(receipt) {
  const isOut = visibility.remove(receipt);
  if (isOut) giveBack(receipt); // a visibility of 0
  return isOut;
}

/** Returns the messages that were not deleted, in their order: store them. */
function shutDown() {
  messages.close();
  for (const receipt of visibility.close()) giveBack(receipt);
  return messages.clear('images');
}

const textOf = (batch) => batch.map(({ message }) => message).join(', ');
messages.putAll('images', ['1.png', '2.png', '3.png', '4.png']);
const [one, two, three] = await receive({ max: 3, waitMs: 1_000, visibilityMs: 100 });
console.log(remove(two.receipt), extend(one.receipt, 200));
const [four] = await receive({ max: 1, waitMs: 1_000, visibilityMs: 10_000 });
console.log(four.message, nack(four.receipt), nack(three.receipt));
while (out.size > 0) await new Promise((resolve) => setTimeout(resolve, 10)); // the lease of 1 ends last
console.log(remove(one.receipt), textOf(await receive({ max: 2, waitMs: 1_000, visibilityMs: 10_000 })));
console.log(shutDown().join(', '), messages.size, visibility.size);

/* It prints

true true
4.png true true
false 1.png, 3.png
1.png, 3.png, 4.png 0 0
*/
