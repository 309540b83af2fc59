import { ProtocolError, Reader } from '../protocol/reader.ts';

/**
 * The topics in what a consumer says of itself when it joins (ConsumerProtocolSubscription);
 * undefined where that cannot be read.
 */
export function subscribedTopics(metadata: Buffer): string[] | undefined {
  const reader = new Reader(metadata);
  try {
    reader.int16();
    return Array.from({ length: reader.arrayLength(false) ?? 0 }, () => reader.string(false) ?? '');
  } catch (error) {
    if (error instanceof ProtocolError) return undefined;
    throw error;
  }
}
