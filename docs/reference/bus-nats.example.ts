import { connect } from '@nats-io/transport-node';
import { natsBus } from 'purgatory/bus/nats';
import { SharedWaits } from 'purgatory/shared';

const nats = await connect({ servers: process.env.NATS_URL ?? '127.0.0.1:4222', maxReconnectAttempts: -1 });
const bus = natsBus(nats); // one in each process
const database = new Map<string, string>(); // NATS carries hints only: the state is kept elsewhere
const jobs = new SharedWaits<string>('jobs', { bus, load: async () => database });

const isDone = (state: string | undefined): string | undefined => (state === 'done' ? state : undefined);
const wait = jobs.waitUntil('job-7', isDone, { timeoutMs: 5_000 });
database.set('job-7', 'done'); // first the change,
jobs.changed('job-7'); // then the hint, to every process
console.log(await wait); // { expired: false, value: 'done' }

jobs.close();
await bus.close();
await nats.close();
