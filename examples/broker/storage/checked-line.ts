/** A line that tells whether it is whole: its checksum (CRC32C, hexadecimal) before its JSON. */
import { crc32c } from '@node-rs/crc32';

const JSON_AT = 9;

/** With the line's end. */
export function checkedLine(value: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(value));
  return Buffer.concat([Buffer.from(`${checksum(json)} `), json, Buffer.from('\n')]);
}

/** What a line, given without its end, says; undefined where its checksum does not fit. */
export function readCheckedLine(line: Buffer): unknown {
  if (line.toString('latin1', 0, JSON_AT) !== `${checksum(line.subarray(JSON_AT))} `) return undefined;
  return JSON.parse(line.toString('utf8', JSON_AT));
}

function checksum(bytes: Buffer): string {
  return crc32c(bytes).toString(16).padStart(8, '0');
}
