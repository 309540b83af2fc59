// Run by uncaught.test.ts: the scene named by the argument, in which an `uncaughtException` handler
// ends what threw, while what is left of it waits for the next turn. Prints the messages that the
// handler saw. (A host whose queue of immediates has been broken throws errors of its own, without
// end.)
import { setTimeout as hostSetTimeout } from 'node:timers';
import sinon from 'sinon';
import { DelayedOperation, Purgatory, SystemTimer } from '../../../src/index.ts';
import * as timers from '../../../src/waits/timers/index.ts';
import * as promises from '../../../src/waits/timers/promises.ts';

const TASKS = 5;
const MANY_ERRORS = 100;

class Late extends DelayedOperation {
  override tryComplete(): boolean {
    return false;
  }
  override onComplete(): void {
    burnAndThrow();
  }
}

/** Takes longer than a slice of the default length. */
function burnAndThrow(): never {
  const endMs = performance.now() + 6;
  while (performance.now() < endMs);
  throw new Error('boom');
}

/** What each scene does from inside the handler. */
export const scenes: Record<string, () => () => void> = {
  'timer.close()': () => {
    const timer = new SystemTimer();
    for (let i = 0; i < TASKS; i++) timer.schedule(burnAndThrow, 1);
    return () => timer.close();
  },
  'purgatory.cancelForKey()': () => {
    const purgatory = new Purgatory<string>('test');
    for (let i = 0; i < TASKS; i++) purgatory.tryCompleteElseWatch(new Late(1), ['key']);
    return () => purgatory.cancelForKey('key');
  },
  'clearTimeout of the drop-in': () => {
    const pending = Array.from({ length: TASKS }, () => timers.setTimeout(burnAndThrow, 1));
    return () => {
      for (const timeout of pending) timers.clearTimeout(timeout);
    };
  },
  'an abort of the promises': () => {
    const controller = new AbortController();
    for (let i = 0; i < TASKS; i++) {
      timers.setTimeout(burnAndThrow, 1);
      promises.setTimeout(1, undefined, { signal: controller.signal }).catch(() => {});
    }
    return () => controller.abort();
  },
  'a fake clock that is installed and restored': () => {
    const timer = new SystemTimer();
    for (let i = 0; i < TASKS; i++) timer.schedule(burnAndThrow, 1);
    return () => {
      const fake = sinon.useFakeTimers();
      timer.schedule(() => {}, 1);
      fake.restore();
      timer.close();
    };
  },
  // The host's own timers of the same delay are in one list with the wake-up.
  'timer.close() for a throw of a host timer': () => {
    const timer = new SystemTimer({ tickMs: 1 });
    timer.schedule(() => {}, 20);
    for (let i = 0; i < TASKS; i++) hostSetTimeout(burnAndThrow, 10 + 5 * i);
    return () => timer.close();
  },
};

function play(scene: string): void {
  const seen: string[] = [];
  const end = scenes[scene]();
  process.on('uncaughtException', (error) => {
    seen.push(error.message);
    if (seen.length === MANY_ERRORS) {
      process.stdout.write(`without end: ${error.message}\n`);
      process.exit(1);
    }
    end();
  });
  process.on('exit', () => process.stdout.write([...new Set(seen)].join(', ')));
}

// The test imports this file, too: then nothing is played.
if (process.argv[2] in scenes) play(process.argv[2]);
