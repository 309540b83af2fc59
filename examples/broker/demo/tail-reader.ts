/**
 * Reads the end of one partition by long polls, one after another, as a screen that shows the
 * latest does: cheap, so that there can be many.
 *
 * Owns its connection, which its signal closes: the poll that waits then ends, and so does the
 * reader.
 */
import type { SystemTimer } from 'purgatory';
import { ErrorCode } from '../protocol/error-codes.ts';
import { CONSUMER, FETCH_VERSION, fetchRequest } from '../protocol/fetch-request.ts';
import { PeerClient } from '../replication/peer-client.ts';
import { pause } from './pause.ts';

const MAX_BYTES = 64 * 1024;
/** How long an answer may take beyond the time that the broker may let a poll wait. */
const PATIENCE_MS = 5000;
/** Between an answer and the next poll. */
const THINKS_MS = 50;

export interface Tail {
  readonly topic: string;
  readonly partition: number;
  /** How long the broker may let a poll wait (ms). */
  readonly maxWaitMs: number;
}

/**
 * Resolves when `signal` aborts. Rejects when the broker goes away before, or answers with an
 * error.
 */
export async function readTail(
  port: number,
  tail: Tail,
  timer: SystemTimer,
  signal: AbortSignal,
): Promise<void> {
  const client = new PeerClient(port, 'tail', timer);
  const close = (): void => client.close();
  signal.addEventListener('abort', close);
  try {
    for (let offset = 0; !signal.aborted; ) {
      offset = await poll(client, tail, offset);
      await pause(THINKS_MS * Math.random(), signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

/** Waits for a record at `offset` or later; returns where the partition ends then. */
async function poll(
  client: PeerClient,
  { topic, partition, maxWaitMs }: Tail,
  offset: number,
): Promise<number> {
  const request = fetchRequest(
    CONSUMER,
    maxWaitMs,
    [{ topic, partition, fetchOffset: offset }],
    MAX_BYTES,
    MAX_BYTES,
  );
  const { responses } = await client.send('Fetch', FETCH_VERSION, request, maxWaitMs + PATIENCE_MS);
  const { errorCode, highWatermark } = responses[0].partitions[0];
  if (errorCode !== ErrorCode.NONE) throw new Error(`${topic}-${partition} answered with error ${errorCode}`);
  return highWatermark;
}
