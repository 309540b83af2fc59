// As timers.test.ts: the same story of Node's promises and ours.
import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { setTimeout as hostTimeout } from 'node:timers';
import * as nodePromises from 'node:timers/promises';
import { expect } from 'chai';
import * as promises from '../../../../src/waits/timers/promises.ts';
import { PolyfilledSignal } from '../../../support/polyfilled-signal.ts';

type Promises = typeof promises;
type Tell = (what: unknown) => void;

const node = nodePromises as unknown as Promises;

function same(
  title: string,
  expected: unknown[],
  scenario: (promises: Promises, tell: Tell) => Promise<void>,
): void {
  it(title, async () => {
    for (const [name, of] of [
      ["Node's own", node],
      ['ours', promises],
    ] as const) {
      const told: unknown[] = [];
      await scenario(of, (what) => told.push(what));
      expect(told, name).to.deep.equal(expected);
    }
  });
}

class RemovableSignal extends PolyfilledSignal {
  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.splice(this.listeners.indexOf(listener), 1);
  }
}

async function failure(promise: Promise<unknown>): Promise<unknown[]> {
  try {
    await promise;
  } catch (error) {
    const { name, message, code, cause } = error as Error & { code?: string };
    return code === 'ABORT_ERR' ? [name, message, code, cause] : [name, code];
  }
  return ['no failure'];
}

const ABORTED = ['AbortError', 'The operation was aborted', 'ABORT_ERR', 'reason'];

describe('purgatory/timers/promises, like node:timers/promises', () => {
  same('setTimeout resolves with the value', ['value', undefined], async (p, tell) => {
    tell(await p.setTimeout(1, 'value'));
    tell(await p.setTimeout());
  });

  same('setTimeout rejects on abort, before or after the call', [ABORTED, ABORTED], async (p, tell) => {
    tell(await failure(p.setTimeout(600_000, 0, { signal: AbortSignal.abort('reason') })));
    const controller = new AbortController();
    hostTimeout(() => controller.abort('reason'), 2);
    tell(await failure(p.setTimeout(600_000, 0, { signal: controller.signal })));
  });

  same('setTimeout leaves no listener on the signal', [1, 0, 'done', 0], async (p, tell) => {
    const { signal } = new AbortController();
    const listeners = (): void => tell(getEventListeners(signal, 'abort').length);
    const promise = p.setTimeout(1, 'done', { signal });
    listeners();
    promise.then(listeners);
    tell(await promise);
    listeners();
  });

  same(
    'a signal of another class is taken: a polyfill, or one of another realm',
    [ABORTED, 1, ABORTED, 0, 'value', 0, ABORTED, 0],
    async (p, tell) => {
      const late = new RemovableSignal();
      late.abort('reason');
      tell(await failure(p.setTimeout(600_000, 0, { signal: late.asSignal() })));
      const signal = new RemovableSignal();
      const pending = failure(p.setTimeout(600_000, 0, { signal: signal.asSignal() }));
      tell(signal.listeners.length);
      signal.abort('reason');
      tell(await pending);
      tell(signal.listeners.length);
      const second = new RemovableSignal();
      tell(await p.setTimeout(1, 'value', { signal: second.asSignal() }));
      tell(second.listeners.length);
      const interval = failure(p.setInterval(600_000, 0, { signal: second.asSignal() }).next());
      second.abort('reason');
      tell(await interval);
      tell(second.listeners.length);
    },
  );

  for (const [name, options] of [
    ['options', 1],
    ['a signal', { signal: {} }],
    ['a ref', { ref: 'yes' }],
  ] as const) {
    const expected = ['TypeError', 'ERR_INVALID_ARG_TYPE'];
    same(`rejects ${name} of the wrong type`, [expected, expected], async (p, tell) => {
      tell(await failure(p.setTimeout(1, 0, options as never)));
      tell(await failure(p.setInterval(1, 0, options as never).next()));
    });
  }

  same('ref: false lets the process end', [1, 0, 1, 0], async (p, tell) => {
    const alive = (): number => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
    await null; // until mocha has set its own timeout for this test
    const before = alive();
    const controller = new AbortController();
    const { signal } = controller;
    const promise = p.setTimeout(600_000, 0, { signal });
    tell(alive() - before);
    controller.abort('reason');
    await failure(promise);
    const second = new AbortController();
    const unheld = p.setTimeout(600_000, 0, { signal: second.signal, ref: false });
    tell(alive() - before);
    const third = new AbortController();
    const interval = p.setInterval(600_000, 0, { signal: third.signal }).next();
    tell(alive() - before);
    third.abort();
    second.abort();
    await Promise.all([failure(interval), failure(unheld)]);
    tell(alive() - before);
  });

  same('setInterval yields the value until the loop is left', ['v', 'v', 'v', 'end'], async (p, tell) => {
    let runs = 0;
    for await (const value of p.setInterval(2, 'v')) {
      tell(value);
      if (++runs === 3) break;
    }
    tell('end');
  });

  same('setInterval yields what was missed, one by one', [true], async (p, tell) => {
    let runs = 0;
    for await (const _ of p.setInterval(2)) {
      if (++runs === 1) await new Promise((resolve) => hostTimeout(resolve, 20));
      if (runs === 4) break;
    }
    tell(runs === 4);
  });

  same('setInterval throws out of the loop on abort', ['v', ABORTED, ABORTED, 0], async (p, tell) => {
    const controller = new AbortController();
    const { signal } = controller;
    const loop = async (): Promise<void> => {
      for await (const value of p.setInterval(2, 'v', { signal })) {
        tell(value);
        controller.abort('reason');
      }
    };
    tell(await failure(loop()));
    tell(await failure(loop()));
    tell(getEventListeners(signal, 'abort').length);
  });

  same('what awaits goes on in its own async context', ['a', 'a'], async (p, tell) => {
    const als = new AsyncLocalStorage<string>();
    await als.run('a', async () => {
      await p.setTimeout(1);
      tell(als.getStore());
      for await (const _ of p.setInterval(1)) break;
      tell(als.getStore());
    });
  });
});
