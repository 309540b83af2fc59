// Run by liveness.test.ts. Sets up the scene named by its argument, and prints what ran before the
// process ended.
import { DelayedOperation, Purgatory, SystemTimer } from '../../../src/index.ts';
import { IdleTimeouts } from '../../../src/waits/idle/index.ts';
import { Replies } from '../../../src/waits/replies/index.ts';
import { SharedWaits } from '../../../src/waits/shared/index.ts';
import { timeoutSignal } from '../../../src/waits/timers/index.ts';

const HOUR = 3_600_000;

class Poll extends DelayedOperation {
  override tryComplete(): boolean {
    return false;
  }
  override onComplete(): void {
    say('completed');
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function spin(ms: number): void {
  for (const endMs = performance.now() + ms; performance.now() < endMs; );
}

/** 0.2 s of due tasks. Something else keeps the process alive until the first of them. */
function burst(timer: SystemTimer, tells = true, onRun: (ran: number) => void = () => {}): SystemTimer {
  const count = 100;
  let ran = 0;
  const alive = setTimeout(() => {}, HOUR);
  for (let i = 0; i < count; i++) {
    timer.schedule(() => {
      ran++;
      clearTimeout(alive);
      onRun(ran);
      spin(2);
    }, 1);
  }
  if (tells) process.on('exit', () => say(ran < count ? 'left some' : 'ran all'));
  return timer;
}

/** Waits for a load that never ends, and for its place. Returns what aborts each. */
function hangingLoad(timeoutMs: number): [load: () => void, place: () => void] {
  const waits = new SharedWaits('hangs', { concurrency: 1, load: () => new Promise(() => {}) });
  const wait = (key: string): (() => void) => {
    const { signal, abort } = abortable();
    waits.waitUntil(key, (state) => state, { timeoutMs, signal }).catch(() => say('aborted'));
    return abort;
  };
  return [wait('load'), wait('place')];
}

function abortable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

export const scenes: Readonly<Record<string, () => unknown>> = {
  'an empty timer': () => new SystemTimer(),
  'a timer whose tasks ran': () => new SystemTimer().schedule(() => say('ran'), 5),
  'a timer whose only task was cancelled in a later turn': () => {
    const task = new SystemTimer().schedule(() => say('ran'), HOUR);
    setTimeout(() => task.cancel(), 5);
  },
  'a timer that was closed': () => {
    const timer = new SystemTimer();
    timer.schedule(() => say('ran'), HOUR);
    setTimeout(() => timer.close(), 5);
  },
  'a pending task': () => new SystemTimer().schedule(() => say('ran'), 50),
  'a pending task after unref': () => new SystemTimer().unref().schedule(() => say('ran'), HOUR),
  'unref after the task was added': () => {
    const timer = new SystemTimer();
    timer.schedule(() => say('ran'), HOUR);
    setTimeout(() => timer.unref(), 5);
  },
  'unref and ref again': () => {
    const timer = new SystemTimer().unref();
    timer.schedule(() => say('ran'), 50);
    timer.ref();
  },
  'unref by a task of the timer': () => {
    const timer = new SystemTimer();
    timer.schedule(() => timer.unref(), 5);
    timer.schedule(() => say('ran'), HOUR);
  },
  'a burst after unref': () => burst(new SystemTimer().unref()),
  'an event on many, notified in a burst after unref': () => {
    burst(new SystemTimer().unref(), false);
    const purgatory = new Purgatory<string>('test', { timer: new SystemTimer().unref() });
    let isReady = false;
    let answered = 0;
    for (let i = 0; i < 100; i++) {
      void purgatory
        .waitFor(['key'], () => isReady, { timeoutMs: HOUR })
        .then(() => {
          spin(2);
          if (++answered === 100) say('answered all');
        });
    }
    setTimeout(() => {
      isReady = true;
      purgatory.notify('key');
    }, 20);
  },
  'a burst, unref and ref in the middle of it': () => {
    const timer = burst(new SystemTimer(), true, (ran) => {
      if (ran === 30) setImmediate(() => timer.unref());
      if (ran === 60) setImmediate(() => timer.ref());
    });
  },
  'a timer without a reaper': () => new SystemTimer({ reaper: false }).schedule(() => say('ran'), 5),
  'an empty purgatory': () => new Purgatory('p'),
  'an operation with a deadline': () => new Purgatory('p').tryCompleteElseWatch(new Poll(50), ['k']),
  'an operation without a deadline': () =>
    new Purgatory('p').tryCompleteElseWatch(new Poll(Number.POSITIVE_INFINITY), ['k']),
  'an operation that was completed early': () => {
    const poll = new Poll(HOUR);
    new Purgatory('p').tryCompleteElseWatch(poll, ['k']);
    poll.forceComplete();
  },
  'a waiter with a deadline': () =>
    void new Purgatory('p').waitFor(['k'], () => undefined, { timeoutMs: 50 }).then(() => say('expired')),
  'a waiter that was aborted': () => {
    const { signal, abort } = abortable();
    new Purgatory('p')
      .waitFor(['k'], () => undefined, { timeoutMs: HOUR, signal })
      .catch(() => say('aborted'));
    setTimeout(abort, 5);
  },
  'a timeout signal': () => timeoutSignal(HOUR),
  'a timeout signal on a timer of the user’s': () =>
    (timeoutSignal(50, { timer: new SystemTimer() }).onabort = () => say('aborted')),
  'an element of IdleTimeouts': () =>
    new IdleTimeouts('idle', { timeoutMs: 50, onIdle: () => say('idle') }).touch('element'),
  'an element of IdleTimeouts after unref': () =>
    new IdleTimeouts('idle', { timeoutMs: HOUR, onIdle: () => say('idle') }).unref().touch('element'),
  'an expected reply after unref': () =>
    void new Replies('replies').unref().expect('id', { timeoutMs: HOUR }),
  'an expected reply after unref and ref': () => {
    const replies = new Replies('replies').unref();
    void replies.expect('id', { timeoutMs: 50 }).catch(() => say('timed out'));
    replies.ref();
  },
  'a load that hangs, for which nobody waits any more': () => {
    for (const abort of hangingLoad(HOUR)) setTimeout(abort, 5);
  },
  'a load that hangs, for waits without a deadline': () => {
    const [load, place] = hangingLoad(0);
    const later = (step: () => void): void => void setTimeout(step, 50).unref();
    later(() => {
      load();
      later(() => {
        say('held');
        later(place);
      });
    });
  },
};

const errors: Readonly<Record<string, () => unknown>> = {
  'a throw of run without onError': () => {
    // In one slice of one pass, however slow the machine is. Tasks without delay share the slice,
    // and the error comes a turn later.
    const timer = new SystemTimer({ sliceMs: Number.POSITIVE_INFINITY });
    timer.schedule(() => {
      throw new Error('out of run');
    }, 0);
    timer.schedule(() => say('ran'), 0);
  },
  'a throw of onExpiration without onError': () => {
    const poll = new Poll(1);
    poll.onExpiration = () => {
      throw new Error('out of onExpiration');
    };
    new Purgatory('p').tryCompleteElseWatch(poll, ['k']);
  },
  'a throw of onError': () => {
    const onError = (): never => {
      throw new Error('out of onError');
    };
    new SystemTimer({ onError }).schedule(() => {
      throw new Error('out of run');
    }, 1);
  },
};

// The test imports this file, too: then nothing is played.
({ ...scenes, ...errors })[process.argv[2]]?.();
