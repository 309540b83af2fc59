// A wait for all of several keys: docs/recipes/several-keys.md
import { Purgatory } from 'purgatory';

const parts = new Purgatory('parts');
const arrived = new Map();

/** Resolves with all values once every key has one, or with undefined after `timeoutMs`. */
async function all(keys, options) {
  const every = () => keys.every((key) => arrived.has(key)) && keys.map((key) => arrived.get(key));
  const result = await parts.waitFor(keys, every, options);
  return result.expired ? undefined : result.value;
}

function arrive(key, value) {
  arrived.set(key, value);
  parts.notify(key); // several in one turn cause one try for each key
}

setTimeout(() => arrive('left', 1), 20);
setTimeout(() => arrive('right', 2), 40);
console.log(await all(['left', 'right'], { timeoutMs: 5_000 }));
console.log(await all(['left', 'lost'], { timeoutMs: 100 }));

/* It prints

[ 1, 2 ]
undefined
*/
