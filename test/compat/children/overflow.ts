// Run by overflow.test.ts with a small stack and without optimisation, where each call in the
// engine is a frame: a chain of events in which every completion takes a watcher of a hot key out,
// overflows the stack at every depth in turn.
import assert from 'node:assert/strict';
import { DelayedOperation, Purgatory } from '../../../src/index.ts';
import { checkPurgatoryInvariants } from '../../../src/purgatory/purgatory.ts';

const CHAIN = 1_000;

class Link extends DelayedOperation {
  ready = false;
  readonly #next: () => void;
  constructor(next: () => void) {
    super(Number.POSITIVE_INFINITY);
    this.#next = next;
  }
  override tryComplete(): boolean {
    return this.ready && this.forceComplete();
  }
  override onComplete(): void {
    this.#next();
  }
}

let overflows = 0;
process.on('uncaughtException', (error) => {
  assert.ok(error instanceof RangeError, error);
});

function overflowAfter(frames: number): void {
  const purgatory = new Purgatory<unknown, Link>('test', {
    onError: () => {
      overflows++;
    },
  });
  const hot = Array.from({ length: CHAIN }, () => new Link(() => {}));
  for (const link of hot) purgatory.tryCompleteElseWatch(link, ['hot']);
  const chain = hot.map((_, i) => {
    const link = new Link(() => {
      hot[(i * 7) % CHAIN].cancel();
      purgatory.checkAndComplete(i + 1);
    });
    purgatory.tryCompleteElseWatch(link, [i]);
    link.ready = true;
    return link;
  });
  const begin = (left: number): void => {
    if (left > 0) begin(left - 1);
    else purgatory.checkAndComplete(0);
  };
  begin(frames);
  assert.equal(chain.at(-1)?.isCompleted, false);
  checkPurgatoryInvariants(purgatory);
  for (const link of [...hot, ...chain]) link.cancel();
  checkPurgatoryInvariants(purgatory);
  assert.equal(purgatory.watchedKeys, 0);
}

for (let frames = 0; frames < 60; frames++) overflowAfter(frames);
assert.ok(overflows > 0);
process.stdout.write('all well\n');
