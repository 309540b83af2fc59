// An event that goes out with the transaction: docs/many-processes.md
// npm install purgatory pg
import pg from 'pg';
import { Purgatory } from 'purgatory';
import { notifyInTransaction, postgresBus } from 'purgatory/bus/postgres';

const connectionString = process.env.DATABASE_URL;
const bus = postgresBus(() => new pg.Client({ connectionString }));
const orders = new Purgatory('orders', { bus });
const client = new pg.Client({ connectionString });
await client.connect();
await client.query('CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY, state text)');
await client.query(`INSERT INTO orders VALUES ('order-7', 'packed')`);

async function ship(id) {
  await client.query('BEGIN');
  await client.query('UPDATE orders SET state = $1 WHERE id = $2', ['shipped', id]);
  await notifyInTransaction(client, orders, [id]);
  await client.query('COMMIT'); // now the hint goes to all processes, this one too
}

const shipped = async () => {
  const { rows } = await client.query('SELECT state FROM orders WHERE id = $1', ['order-7']);
  return rows[0].state === 'shipped';
};
setTimeout(ship, 100, 'order-7');
console.log(await orders.waitFor(['order-7'], shipped, { timeoutMs: 30_000 }));
orders.close();
await bus.close();
await client.end();

/* It prints

{ expired: false, value: true }
*/
