// What a transport must do for interest routing, as cases like those of the conformance suite.
import { deepStrictEqual, ok } from 'node:assert/strict';
import type { Transport } from '../../../../src/bus/transport.ts';
import { type ConformanceCase, mark, probing } from '../../../../src/bus/transports/conformance-probe.ts';
import { LIMIT_MS } from '../../../support/limit.ts';

/** As many channels as a bus names in one call. */
const BATCH = 512;

export function interestCases(makeTransport: () => Transport | Promise<Transport>): ConformanceCase[] {
  const { until, withProbes: routed } = probing(makeTransport, LIMIT_MS);
  const channels = Array.from({ length: BATCH }, (_, index) => `${index * 100}`);
  return [
    {
      title: 'hands a text for a channel to those who have subscribed to it, its publisher included',
      run: () =>
        routed(3, async (a, b, c) => {
          await a.transport.subscribe?.(['1']);
          await b.transport.subscribe?.(['1', '65535']);
          const text = mark('routed');
          await a.transport.publishTo?.('1', text);
          const last = mark('to all');
          await a.transport.publish(last);
          for (const probe of [a, b, c]) await until('the last text has come', () => probe.has(last));
          deepStrictEqual(
            // A frame of an earlier case may still be on its way.
            [a, b, c].map(({ texts }) => texts.filter((each) => each === text || each === last)),
            [[text, last], [text, last], [last]],
          );
        }),
    },
    {
      title: 'acknowledges channels only when a text that is published from then on comes',
      run: () =>
        routed(2, async (a, b) => {
          for (const channel of channels.slice(0, 50)) {
            await b.transport.subscribe?.([channel]);
            const text = mark(channel);
            await a.transport.publishTo?.(channel, text);
            await until('the text has come', () => b.has(text));
          }
        }),
    },
    {
      title: `takes ${BATCH} channels at once, leaves them, and takes them again`,
      run: () =>
        routed(2, async (a, b) => {
          for (let round = 0; round < 3; round++) {
            await b.transport.subscribe?.(channels);
            const texts = channels.map((channel) => mark(channel));
            for (const [index, text] of texts.entries()) await a.transport.publishTo?.(channels[index], text);
            await until('all texts have come', () => texts.every((text) => b.has(text)));
            await b.transport.unsubscribe?.(channels);
            const missed = mark('missed');
            await a.transport.publishTo?.(channels[0], missed);
            const last = mark('to all');
            await a.transport.publish(last);
            await until('the last text has come', () => b.has(last));
            ok(!b.has(missed), 'a text came though nobody has subscribed');
          }
        }),
    },
    {
      title: 'hears no channel after another connect() until it has subscribed again',
      run: () =>
        routed(2, async (a, b) => {
          await b.transport.subscribe?.(['7']);
          await b.disconnect();
          const { ups } = b;
          b.connect();
          await until('the subscription is acknowledged', () => b.ups > ups);
          const missed = mark('missed');
          await a.transport.publishTo?.('7', missed);
          // An engine of several servers may be slower to pass a text on than to acknowledge.
          const passed = mark('to all');
          await a.transport.publish(passed);
          await until('the text for all has come', () => b.has(passed));
          await b.transport.subscribe?.(['7']);
          const text = mark('again');
          await a.transport.publishTo?.('7', text);
          await until('the text has come', () => b.has(text));
          ok(!b.has(missed), 'a text came though nobody has subscribed');
        }),
    },
  ];
}
