// Waits on a prefix: Consul, etcd: docs/recipes/hierarchies.md
import { Purgatory } from 'purgatory';

const entries = new Map(); // path -> { value, index }
const watches = new Purgatory('watches');
let index = 0;

/** 'a/b/c' is covered by itself, 'a/b/', 'a/' and ''. */
function* covering(path) {
  yield path;
  for (let end = path.length; end > 0; ) {
    end = path.lastIndexOf('/', end - 2) + 1;
    yield path.slice(0, end);
  }
}

function put(path, value) {
  entries.set(path, { value, index: ++index });
  for (const key of covering(path)) watches.notify(key);
}

/** A blocking query: the entries below `prefix`, once one is younger than `since`. */
function list(prefix, since, timeoutMs) {
  const read = () => {
    const found = [...entries].filter(([path]) => path.startsWith(prefix));
    return found.some(([, entry]) => entry.index > since) && found.map(([path]) => path);
  };
  return watches.waitFor([prefix], read, { timeoutMs });
}

console.log([...covering('a/b/c')]);
const [below, all, other] = [list('a/b/', 0, 10_000), list('', 0, 10_000), list('x/', 0, 50)];
put('a/b/c', 'one');
for (const { expired, value } of await Promise.all([below, all, other])) console.log(expired, value);
watches.close();

/* It prints

[ 'a/b/c', 'a/b/', 'a/', '' ]
false [ 'a/b/c' ]
false [ 'a/b/c' ]
true undefined
*/
