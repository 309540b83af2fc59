/** The command line of the demo, checked before anything is started. */
import { parseArgs } from 'node:util';
import { checkedInteger } from '../options.ts';

export interface DemoOptions {
  /** A load that goes on, for the inspector to show. */
  readonly watch: boolean;
  /** How long (ms); Infinity: until it is stopped. */
  readonly durationMs: number;
  /** The port of the page; 0 is any free one. */
  readonly http: number;
}

const DEFAULT_SECONDS = 5;
const MAX_SECONDS = 86_400;
const MAX_PORT = 65_535;

/** Throws a RangeError or TypeError that names the option, its value and the rule. */
export function parseDemoOptions(args: readonly string[]): DemoOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      watch: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      http: { type: 'string', default: '0' },
    },
  });
  const { watch, seconds, http } = values;
  const lasts = seconds === undefined && watch ? Infinity : checkedSeconds(seconds ?? `${DEFAULT_SECONDS}`);
  return { watch, durationMs: lasts * 1000, http: checkedInteger('http', http, 0, MAX_PORT) };
}

function checkedSeconds(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= MAX_SECONDS) return value;
  throw new RangeError(
    `--seconds is ${JSON.stringify(text)}, where a number above 0, up to ${MAX_SECONDS}, is needed`,
  );
}
