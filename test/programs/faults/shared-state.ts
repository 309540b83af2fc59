// The state that all processes of a fault run read and write: a file of counters, one for each key.
//
// Ground rules. A write is visible to every process as soon as it returns (one page cache). So
// "write, then notify" holds. A record is the counter of its key and the time of its last write.
import { openSync, readSync, writeSync } from 'node:fs';

const RECORD_BYTES = 16;

/** The time in ms, the same in all processes of a machine. */
export function commonNow(): number {
  return performance.timeOrigin + performance.now();
}

export class SharedState {
  readonly #file: number;
  readonly #record = Buffer.alloc(RECORD_BYTES);
  readonly keys: number;
  #all: Buffer | undefined;

  constructor(path: string, keys: number) {
    this.#file = openSync(path, 'r+');
    this.keys = keys;
  }

  /** Makes one more change of `key`. A key must have one writer at a time. */
  bump(key: number): void {
    this.#record.writeUInt32LE(this.version(key) + 1, 0);
    this.#record.writeDoubleLE(commonNow(), 8);
    writeSync(this.#file, this.#record, 0, RECORD_BYTES, key * RECORD_BYTES);
  }

  version(key: number): number {
    readSync(this.#file, this.#record, 0, RECORD_BYTES, key * RECORD_BYTES);
    return this.#record.readUInt32LE(0);
  }

  /** When the record that `version` has just read was written. */
  get writtenMs(): number {
    return this.#record.readDoubleLE(8);
  }

  /** The number of keys whose version differs from the one in `seen`. One read of the file. */
  changed(seen: ReadonlyMap<number, number>): number {
    this.#all ??= Buffer.allocUnsafeSlow(this.keys * RECORD_BYTES);
    readSync(this.#file, this.#all, 0, this.#all.length, 0);
    let changed = 0;
    for (const [key, version] of seen) {
      if (this.#all.readUInt32LE(key * RECORD_BYTES) !== version) changed++;
    }
    return changed;
  }

  /** The bytes of a file for `keys` keys. */
  static size(keys: number): number {
    return keys * RECORD_BYTES;
  }
}
