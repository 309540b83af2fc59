// The channels of interest routing: which of the 65,536 a key belongs to.
//
// Ground rules. The hash is part of the protocol: all processes of a bus must agree on it. A channel
// for each key would be simpler. But names of channels have no bound then, and no engine
// takes every character. Keys that share a channel cost each other hints, and never a wrong answer.
//
// Costs. O(length of the key). 65,536 channels: one hint in vain for each 65,536 watched keys.

export const CHANNELS = 65_536;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Where the hash of the keys of a member begins: after its name, and a unit that ends it. */
export function seedOf(name: string): number {
  return hashed(hashed(FNV_OFFSET, name), '\n');
}

/** The channel of `key`: 0 to 65,535. @param seed of the member's name. */
export function channelOf(seed: number, key: string): number {
  let hash = hashed(seed, key);
  // FNV mixes the high bits badly for short keys (murmur3's last step).
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & (CHANNELS - 1);
}

/** FNV-1a over UTF-16 units. */
function hashed(hash: number, text: string): number {
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return hash;
}
