// Waits on topics with wildcards: MQTT: docs/recipes/hierarchies.md
import { Purgatory } from 'purgatory';

const log = []; // { topic, payload, filters }
const subscribers = new Purgatory('subscribers');

/** Wildcards do not match topics that begin with `$`. */
function filtersOf(topic) {
  const filters = [];
  let heads = [''];
  for (const level of topic.split('/')) {
    filters.push(...heads.map((head) => `${head}#`));
    heads = heads.flatMap((head) => [`${head}${level}/`, `${head}+/`]);
  }
  for (const head of heads) filters.push(head.slice(0, -1), `${head}#`); // 'a/#' matches 'a', too
  return topic.startsWith('$') ? filters.filter((filter) => filter.startsWith('$')) : filters;
}

function publish(topic, payload) {
  const filters = filtersOf(topic);
  log.push({ topic, payload, filters: new Set(filters) });
  for (const filter of filters) subscribers.notify(filter);
}

/** The messages from `from` on that one of the filters matches. */
function receive(filters, from, timeoutMs) {
  const read = () => {
    const found = log.slice(from).filter((message) => filters.some((filter) => message.filters.has(filter)));
    return found.length > 0 && found.map(({ topic, payload }) => `${topic}: ${payload}`);
  };
  return subscribers.waitFor(filters, read, { timeoutMs });
}

console.log(filtersOf('a/b').join(' '));
const waits = [['home/+/temperature'], ['home/#', '$SYS/#'], ['+/kitchen'], ['#']].map((filters) =>
  receive(filters, 0, 50),
);
publish('home/kitchen/temperature', 21);
publish('$SYS/uptime', 7);
for (const { expired, value } of await Promise.all(waits)) console.log(expired, value);
subscribers.close();

/* It prints

# a/# +/# a/b a/b/# a/+ a/+/# +/b +/b/# +/+ +/+/#
false [ 'home/kitchen/temperature: 21' ]
false [ 'home/kitchen/temperature: 21', '$SYS/uptime: 7' ]
true undefined
false [ 'home/kitchen/temperature: 21' ]
*/
