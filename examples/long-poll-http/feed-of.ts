// Chooses the place of the messages by what there is: a table, a stream, the memory of the primary,
// or that of this process.
import cluster from 'node:cluster';
import type { Engine } from '../workers/engine.ts';
import type { Feed } from './feed.ts';
import { MemoryFeed } from './memory-feed.ts';
import { PostgresFeed } from './postgres-feed.ts';
import { PrimaryFeed } from './primary-feed.ts';
import { RedisFeed } from './redis-feed.ts';

export async function feedOf({ pool, redis }: Engine): Promise<Feed> {
  if (pool !== undefined) return PostgresFeed.open(pool);
  if (redis !== undefined) return new RedisFeed(redis);
  return cluster.isWorker ? new PrimaryFeed() : new MemoryFeed();
}
