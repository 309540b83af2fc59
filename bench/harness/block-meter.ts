/**
 * `node --expose-gc --import block-meter PROGRAM`: measures how long a program of others blocks its
 * event loop, from inside of it. The parent process says when, over IPC. Nothing of the program
 * changes.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { BlockWatch, cpuNs, turn } from './measure.ts';

/** What the parent tells it: to say when so many operations are parked, to begin, to end. */
export type Told = { readonly awaitParked: number } | 'begin' | 'end';
/** What it tells the parent. */
export type Tells = 'parked' | 'begun' | { readonly longestMs: number; readonly cpuMs: number };

const PARKED = 'purgatory:operation:parked';
let isMeasuring = false;

function tell(word: Tells): void {
  process.send?.(word);
}

function awaitParked(count: number): void {
  let left = count;
  const didPark = (): void => {
    if (--left > 0) return;
    unsubscribe(PARKED, didPark);
    tell('parked');
  };
  subscribe(PARKED, didPark);
}

async function measure(): Promise<void> {
  globalThis.gc?.();
  await turn();
  await turn();
  tell('begun');
  isMeasuring = true;
  const startNs = cpuNs();
  const watch = new BlockWatch();
  while (isMeasuring) await watch.turn();
  tell({ longestMs: watch.longestMs, cpuMs: (cpuNs() - startNs) / 1e6 });
}

process.on('message', (word: Told) => {
  if (word === 'begin') void measure();
  else if (word === 'end') isMeasuring = false;
  else awaitParked(word.awaitParked);
});
