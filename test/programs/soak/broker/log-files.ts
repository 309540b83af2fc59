// Checks what a broker has left in the files of a partition.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBatches } from '../../../../examples/broker/protocol/record-batch.ts';
import { holds } from '../load.ts';

/**
 * Throws unless the log of partition `t-<partition>` has the records 0 to at least `acknowledged`,
 * once each, in order.
 */
export function checkLog(data: string, partition: number, acknowledged: number): void {
  const folder = join(data, 'node-0', 'logs', `t-${partition}`);
  const files = readdirSync(folder).sort();
  const log = Buffer.concat(files.map((name) => readFileSync(join(folder, name))));
  const records = readBatches(log).map(({ bytes }) => Number(/<(\d+)>/.exec(bytes.toString('latin1'))?.[1]));
  for (const [index, record] of records.entries())
    holds(record === index, () => `partition ${partition} has record ${record} at ${index}`);
  holds(
    records.length >= acknowledged,
    () => `partition ${partition} has ${records.length} records of ${acknowledged} that were acknowledged`,
  );
}
