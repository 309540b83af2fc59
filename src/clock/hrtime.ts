// The host's monotonic time, read as cheaply as Node allows: the reading is most of the cost of a
// start (`npm run bench -- churn limits`). process.hrtime.bigint() is the clock behind
// performance.now(), without the checks of that method. Through an array of 64 bits, V8 gets numbers
// and never makes the BigInt.
import { endianness } from 'node:os';
import { hostHrtime } from '../base/host.ts';

const reading = new BigUint64Array(1);
const halves = new Uint32Array(reading.buffer);
const [LOW, HIGH] = endianness() === 'LE' ? [0, 1] : [1, 0];
/** Between the origins of the two clocks, which agree to the microsecond. */
const ORIGIN_MS = performance.now() - Number(hostHrtime()) * 1e-6;
/** The high half of the last reading, which changes every 4 s, and when it began in ms. */
let high = 0;
let highMs = ORIGIN_MS;

/** The host's time in ms, as performance.now() counts it. */
export function hrtimeMs(): number {
  reading[0] = hostHrtime();
  if (halves[HIGH] !== high) {
    high = halves[HIGH];
    highMs = high * 2 ** 32 * 1e-6 + ORIGIN_MS;
  }
  return highMs + halves[LOW] * 1e-6;
}
