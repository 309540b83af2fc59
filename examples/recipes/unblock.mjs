// A wait that is ended from outside, with a result: docs/recipes/several-keys.md
import { Purgatory } from 'purgatory';

const list = [];
const clients = new Purgatory('clients');

function blpop(client, timeoutMs) {
  client.unblocked = undefined;
  const take = () => client.unblocked ?? (list.length > 0 && { item: list.shift() });
  return clients.waitFor(['list', `client:${client.id}`], take, { timeoutMs });
}

/** CLIENT UNBLOCK: 1 if the client waits, else 0. */
function unblock(client, reply) {
  client.unblocked = reply;
  return clients.checkAndComplete(`client:${client.id}`);
}

const [one, two] = [{ id: 1 }, { id: 2 }];
const waits = [blpop(one, 10_000), blpop(two, 10_000)];
console.log(unblock(one, { reply: 'nil' }), unblock(one, { reply: 'nil' }));
list.push('job-7');
clients.checkAndComplete('list', { atMost: 1 });
for (const wait of waits) console.log(await wait);
clients.close();

/* It prints

1 0
{ expired: false, value: { reply: 'nil' } }
{ expired: false, value: { item: 'job-7' } }
*/
