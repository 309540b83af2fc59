import { Purgatory } from 'purgatory';

const stock = new Map([['apples', 0]]);
const orders = new Purgatory('orders');

/** Waits until `count` pieces are there, and takes them. */
async function order(item: string, count: number): Promise<string> {
  const take = (): number | undefined => {
    const left = (stock.get(item) ?? 0) - count;
    if (left < 0) return undefined; // not yet
    stock.set(item, left);
    return left;
  };
  const result = await orders.waitFor([item], take, { timeoutMs: 50 });
  return result.expired ? `no ${item}` : `${item}, ${result.value} left`;
}

const apples = order('apples', 2);
const pears = order('pears', 1);
stock.set('apples', 5);
orders.notify('apples'); // tries the orders that watch this key
console.log(await apples); // apples, 3 left
console.log(await pears); // no pears
