// Leases with keys, keepalive and revocation, as in etcd: docs/recipes/leases.md
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { IdleTimeouts } from 'purgatory/idle';

const store = new Map();
const keysOf = new Map(); // by lease
const leases = new IdleTimeouts('leases', { onIdle: (lease) => drop(lease, 'has ended') });

function grant(ttlMs) {
  const lease = randomUUID();
  keysOf.set(lease, new Set());
  leases.touch(lease, ttlMs);
  return lease;
}

function put(key, value, lease) {
  if (!leases.has(lease)) throw new Error('the lease has ended');
  store.set(key, value);
  keysOf.get(lease).add(key);
}

/** False: the lease has ended, and its owner must begin anew. */
function keepAlive(lease) {
  return leases.refresh(lease);
}

function revoke(lease) {
  if (leases.remove(lease)) drop(lease, 'was revoked');
}

function drop(lease, why) {
  for (const key of keysOf.get(lease)) {
    store.delete(key);
    console.log(`the lease of ${key} ${why}`);
  }
  keysOf.delete(lease);
}

const [silent, alive, revoked] = [grant(4_000), grant(4_000), grant(60_000)];
put('worker/1', 'silent', silent);
put('worker/2', 'alive', alive);
put('worker/3', 'revoked', revoked);
revoke(revoked);
while (leases.has(silent)) {
  await sleep(250);
  keepAlive(alive);
}
console.log([...store.keys()], keepAlive(silent)); // a keepalive that comes too late
leases.close();

/* It prints

the lease of worker/3 was revoked
the lease of worker/1 has ended
[ 'worker/2' ] false
*/
