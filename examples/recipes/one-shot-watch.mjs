// Watches that fire once, at the next change, with what has happened, as in ZooKeeper: docs/recipes/several-keys.md
import { DelayedOperation, Purgatory } from 'purgatory';

const nodes = new Map();
const watches = new Purgatory('watches', { maxParked: 100_000 });
let happened; // while the watches of a path fire

class Watch extends DelayedOperation {
  #fire;
  constructor(fire) {
    super(Infinity); // until its connection closes: then cancel()
    this.#fire = fire;
  }
  tryComplete(path) {
    return path !== undefined && this.forceComplete(); // not at parking: only the next change counts
  }
  onComplete() {
    this.#fire(happened);
  }
}

/** The value of a path, and with `fire` its next change. Nothing comes between the two. */
function read(path, fire) {
  const watch = fire && new Watch(fire);
  if (watch !== undefined) watches.tryCompleteElseWatch(watch, [path]);
  return { value: nodes.get(path), watch };
}

function write(path, value) {
  happened = `${nodes.has(path) ? 'changed' : 'created'} ${path}`;
  nodes.set(path, value);
  return watches.checkAndComplete(path); // in the call: each watch is told of the change that it saw
}

const fired = (event) => console.log('fired:', event);
console.log(read('/a', fired).value, write('/a', 1), write('/a', 2));
console.log(read('/a', fired).value, write('/a', 3));
const { watch } = read('/a', fired);
console.log(watch.cancel(), write('/a', 4), watches.numDelayed);
watches.close();

/* It prints

fired: created /a
undefined 1 0
fired: changed /a
2 1
true 0 0
*/
