import { Semaphore } from 'purgatory/semaphore';

// Two reports at a time. One object serves all: an idle key takes no memory.
const reports = new Semaphore('reports', { units: 2 });

async function report(name: string): Promise<string> {
  return reports.run({ timeoutMs: 5_000, label: name }, async () => `${name} is ready`);
}

console.log(await report('July')); // July is ready

// Without `run`: whoever has a permit must release it.
const june = await reports.acquire({ timeoutMs: 50, label: 'June' });
const may = reports.tryAcquire();
console.log(reports.available()); // 0
await reports.acquire({ timeoutMs: 50 }).catch(({ code }) => console.log(code)); // ERR_PURGATORY_TIMEOUT
console.log(reports.snapshot().units.heldLongest?.label); // June
june.release();
may?.release();

// A lock for each order: with one unit it is a mutex.
const orders = new Semaphore('orders', { units: 1 });
await orders.run({ key: 'order-7', timeoutMs: 1_000 }, () => {
  console.log(orders.available('order-7'), orders.available('order-8')); // 0 1
});
