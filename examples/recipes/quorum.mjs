// A write that is acknowledged by a majority: the second highest of three positions: docs/recipes/several-keys.md
import { ThresholdPurgatory } from 'purgatory/threshold';

const QUORUM = 2;
const positions = new Map([
  ['leader', 0],
  ['follower 1', 0],
  ['follower 2', 0],
]);
const committed = new ThresholdPurgatory('committed');

/** A replica has everything up to `position`. */
function acknowledge(replica, position) {
  positions.set(replica, Math.max(position, positions.get(replica)));
  const highestFirst = [...positions.values()].sort((x, y) => y - x);
  committed.advance('log', highestFirst[QUORUM - 1]); // a lower value changes nothing
}

const append = (position) => {
  acknowledge('leader', position);
  return committed.awaitAtLeast('log', position, { timeoutMs: 50 });
};
const first = append(1);
acknowledge('follower 2', 1);
console.log(await first, committed.get('log'));

const lost = append(2);
acknowledge('follower 1', 1);
console.log(await lost, committed.get('log'));

acknowledge('follower 1', 2);
console.log(committed.get('log'));
committed.close();

/* It prints

{ expired: false, value: 1 } 1
{ expired: true } 1
2
*/
