// A mutex, and a lock for each key: docs/recipes/locks-and-queues.md
import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from 'purgatory/semaphore';

const orders = new Semaphore('orders', { units: 1 });
const balances = new Map([
  ['ann', 10],
  ['bob', 10],
]);

// The lock of this account alone: nobody reads the balance between our read and our write.
function withdraw(account, amount) {
  return orders.run({ key: account, timeoutMs: 10_000, label: `withdraw ${amount}` }, async () => {
    const balance = balances.get(account);
    await sleep(10); // asks a bank
    if (balance < amount) throw new Error(`${account} has only ${balance}`);
    balances.set(account, balance - amount);
    return balance - amount;
  });
}

console.log(await Promise.all([withdraw('ann', 3), withdraw('ann', 4), withdraw('bob', 5)]));
await withdraw('ann', 4).catch(({ message }) => console.log(message));

// A permit that is never released is found by its label.
await orders.acquire({ key: 'ann', timeoutMs: 10_000, label: 'the report of July' });
await sleep(1_500);
await orders
  .run({ key: 'ann', timeoutMs: 20 }, () => {})
  .catch(({ code, message }) => {
    console.log(code);
    console.log(message);
  });

/* It prints

[ 7, 3, 5 ]
ann has only 3
ERR_PURGATORY_TIMEOUT
No permit of "orders" for the key ann within 20 ms: 1 of 1 units are held, the longest for 2 s by "the report of July"
*/
