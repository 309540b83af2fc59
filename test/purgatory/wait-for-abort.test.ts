import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { counts, EMPTY, hall, isEmpty } from '../support/op.ts';
import { rejection } from '../support/rejection.ts';
import { turn } from '../support/turns.ts';
import { uncaughtDuring } from '../support/uncaught.ts';

describe('behaviour 20: an abort, or a throw of attempt, rejects waitFor', () => {
  it('at once, without an attempt, when the signal is aborted already', async () => {
    const { purgatory } = hall();
    let attempts = 0;
    const signal = AbortSignal.abort('too late');
    const reason = await rejection(purgatory.waitFor(['k'], () => ++attempts, { timeoutMs: 5, signal }));
    expect(reason).to.equal('too late');
    expect(attempts).to.equal(0);
    expect(counts(purgatory)).to.deep.equal(EMPTY);
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
  });

  for (const abortingAttempt of [1, 2]) {
    it(`when attempt number ${abortingAttempt} aborts the signal itself`, async () => {
      const { purgatory } = hall();
      const controller = new AbortController();
      let attempts = 0;
      const attempt = (): undefined => {
        if (++attempts === abortingAttempt) controller.abort('from inside');
      };
      const promise = purgatory.waitFor(['k'], attempt, { timeoutMs: 50, signal: controller.signal });
      const rejected = rejection(promise);
      if (abortingAttempt === 2) purgatory.checkAndComplete('k');
      expect(await rejected).to.equal('from inside');
      isEmpty(purgatory);
      expect(getEventListeners(controller.signal, 'abort')).to.deep.equal([]);
    });
  }

  it('with what a later attempt throws, which no onError gets, and the pass goes on', async () => {
    for (const onError of [undefined, () => expect.fail('onError was called')]) {
      const { purgatory, park, log } = hall({ onError });
      let armed = false;
      const promise = purgatory.waitFor(
        ['k', 'l'],
        () => {
          if (armed) throw undefined;
        },
        { timeoutMs: 50 },
      );
      park('b', ['k']).ready = true;
      armed = true;
      const uncaught = await uncaughtDuring(0, async () => {
        const rejected = rejection(promise);
        purgatory.checkAndComplete('k');
        expect(await rejected).to.equal(undefined);
      });
      expect(uncaught).to.deep.equal([]);
      expect(log).to.deep.equal(['complete b']);
      isEmpty(purgatory);
    }
  });

  it('and whatever settles it, no listener is left on the signal', async () => {
    const { clock, purgatory } = hall();
    const { signal } = new AbortController();
    let value: number | undefined;
    let throws = false;
    const attempt = (): number | undefined => {
      if (throws) throw new Error('boom');
      return value;
    };
    const wait = (): Promise<unknown> =>
      purgatory.waitFor(['k'], attempt, { timeoutMs: 5, signal }).catch(() => {});
    const settle: (() => void)[] = [
      () => {
        value = 1;
        purgatory.checkAndComplete('k');
        value = undefined;
      },
      () => clock.advance(5),
      () => {
        throws = true;
        purgatory.checkAndComplete('k');
        throws = false;
      },
      () => purgatory.cancelForKey('k'),
      () => purgatory.close(),
    ];
    for (const end of settle) {
      const both = [wait(), wait()];
      expect(purgatory.numDelayed).to.equal(2);
      end();
      await Promise.all(both);
      await turn();
      expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
    }
  });

  it('of ten thousand on one signal, without a warning, and leaves no listener', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    const { purgatory } = hall();
    const controller = new AbortController();
    const options = { timeoutMs: 100, signal: controller.signal };
    const ended = Array.from({ length: 10_000 }, (_, i) =>
      rejection(purgatory.waitFor([`${i % 10}`], () => undefined, options)),
    );
    controller.abort('enough');
    expect(new Set(await Promise.all(ended))).to.deep.equal(new Set(['enough']));
    expect(getEventListeners(controller.signal, 'abort')).to.deep.equal([]);
    isEmpty(purgatory);
    await turn();
    process.off('warning', note);
    expect(warnings).to.deep.equal([]);
  });
});
