// Several locks at once: docs/recipes/locks-and-queues.md
import { Semaphore } from 'purgatory/semaphore';

const orders = new Semaphore('orders', { units: 1 });
const balances = new Map([
  ['ann', 10],
  ['bob', 10],
]);

function withLocks([key, ...others], options, work) {
  if (key === undefined) return work();
  return orders.run({ ...options, key }, () => withLocks(others, options, work));
}

function transfer(from, to, amount) {
  const keys = [...new Set([from, to])].sort();
  return withLocks(keys, { timeoutMs: 10_000, label: `${from} to ${to}` }, async () => {
    const [source, target] = [balances.get(from), balances.get(to)];
    await new Promise(setImmediate); // asks a bank
    balances.set(from, source - amount).set(to, target + amount);
  });
}

await Promise.all([transfer('ann', 'bob', 3), transfer('bob', 'ann', 5)]);
console.log(balances.get('ann'), balances.get('bob'));

/* It prints

12 8
*/
