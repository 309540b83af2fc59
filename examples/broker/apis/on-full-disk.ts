import { ErrorCode } from '../protocol/error-codes.ts';
import { FullDisk } from '../storage/full-disk.ts';
import type { Context } from './context.ts';

/**
 * The error code of a change: NONE when `change` made it, or `errorCode`, and a line in the log,
 * where the disk had no room for it.
 */
export function unlessDiskIsFull(
  { log }: Context,
  what: string,
  errorCode: number,
  change: () => void,
): number {
  try {
    change();
    return ErrorCode.NONE;
  } catch (error) {
    if (!(error instanceof FullDisk)) throw error;
    log(`refused ${what}: ${error.message}`, 'limited');
    return errorCode;
  }
}
