import { Queues } from 'purgatory/queues';

const jobs = new Queues<string>('jobs', { maxItems: 1_000 });

// Somebody waits: `put` hands the item over in the call.
const next = jobs.take(['urgent', 'normal'], { timeoutMs: 5_000 });
console.log(jobs.put('normal', 'tidy up')); // true
const { expired, key, value } = await next;
if (!expired) console.log(key, value); // normal tidy up

// Nobody waits: it is kept. Of several keys the first that has an item counts.
jobs.put('normal', 'count');
jobs.put('urgent', 'pay');
const many = await jobs.takeMany(['urgent', 'normal'], { timeoutMs: 50, max: 10 });
console.log(many.values); // [ 'pay' ]
console.log(jobs.tryTake(['urgent', 'normal'])?.value); // count
console.log((await jobs.take(['urgent'], { timeoutMs: 50 })).expired); // true

// A pool: whoever uses a connection puts it back.
const pool = new Queues<{ query(sql: string): string }>('connections');
pool.put('idle', { query: (sql) => `${sql}: 1 row` });
console.log(await pool.use(['idle'], { timeoutMs: 500 }, (connection) => connection.query('SELECT 1'))); // SELECT 1: 1 row
console.log(pool.sizeOf('idle')); // 1
