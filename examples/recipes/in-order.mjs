// Answers in the order of their requests, as Redis and ZooKeeper give them: docs/recipes/rpc.md
import { Queues } from 'purgatory/queues';

const lists = new Queues('lists');
const commands = {
  PING: async () => 'PONG',
  async RPUSH(key, item) {
    lists.put(key, item);
    return 'OK';
  },
  async BLPOP(key) {
    const { expired, value } = await lists.take([key], { timeoutMs: 50 });
    return expired ? 'nil' : value;
  },
};

/** For each connection: `answer` is ready at any time, and is written when those before it are. */
function inOrder(write) {
  let written = Promise.resolve();
  return (answer) => {
    const text = answer.catch(({ message }) => `ERR ${message}`); // else it would be unhandled meanwhile
    written = written.then(async () => write(await text));
  };
}

const requests = ['BLPOP jobs', 'PING', 'BLPOP more', 'PING', 'NOTHING'];
let left = requests.length;
const answer = inOrder((text) => {
  console.log(text);
  if (--left === 0) lists.close();
});
for (const line of requests) {
  const [name, ...args] = line.split(' ');
  answer((async () => commands[name](...args))());
}
console.log('all are under way');
await commands.RPUSH('more', 'ready, but not its turn');

/* It prints

all are under way
nil
PONG
ready, but not its turn
PONG
ERR commands[name] is not a function
*/
