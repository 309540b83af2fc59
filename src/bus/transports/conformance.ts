// `purgatory/bus/conformance`: what every transport must do, as cases for any test runner.
//
//   const make = () => myTransport('channel');
//   for (const { title, run } of transportConformance(make)) it(title, run);
//
// Ground rules. A case makes its own transports and disconnects them at its end, so cases are
// independent. It waits for what must arrive, for PATIENCE_MS. Where something must NOT arrive, it
// waits until a text that was published later has arrived.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { hostPause } from '../../base/host.ts';
import { createBus } from '../bus.ts';
import type { BusMember } from '../membership/bus-member.ts';
import { MAX_FRAME_BYTES, type Transport } from '../transport.ts';
import { type ConformanceCase, mark, Probe, probing, type UseProbes } from './conformance-probe.ts';

export type { ConformanceCase } from './conformance-probe.ts';

/** What a suite may know of the engine. */
export interface ConformanceOptions {
  /**
   * Breaks the connections of all transports that are connected, so that they notice it. If given,
   * breaks are tested too.
   */
  sever?: (() => Promise<void> | void) | undefined;
  /** How long to wait for what must come, in ms. Default 5,000. */
  patienceMs?: number | undefined;
}

const PATIENCE_MS = 5_000;

/**
 * The cases for one kind of transport.
 *
 * @param makeTransport makes one more transport for the same engine and channel, not connected. It
 * stands for another process.
 */
export function transportConformance(
  makeTransport: () => Transport | Promise<Transport>,
  { sever, patienceMs = PATIENCE_MS }: ConformanceOptions = {},
): ConformanceCase[] {
  const { until, withProbes } = probing(makeTransport, patienceMs);
  const over = (title: string, probes: number, use: UseProbes): ConformanceCase => {
    return { title, run: () => withProbes(probes, use) };
  };
  /** What `from` publishes comes to all of `to`. */
  const reaches = async (from: Probe, ...to: Probe[]): Promise<void> => {
    const text = mark('a text');
    await from.transport.publish(text);
    for (const probe of to) await until('the text has come', () => probe.has(text));
  };

  const cases: ConformanceCase[] = [
    over('names its engine, and takes texts of at least 7,500 bytes', 0, async () => {
      const { engine, maxFrameBytes = MAX_FRAME_BYTES, flushMs = 1 } = await makeTransport();
      strictEqual(typeof engine, 'string');
      ok(maxFrameBytes >= 7_500, `maxFrameBytes is ${maxFrameBytes}`);
      ok(flushMs >= 0, `flushMs is ${flushMs}`);
    }),
    over('hands a text to everybody who is up, its publisher included, once', 3, async (...all) => {
      for (const publisher of all) await reaches(publisher, ...all);
      for (const { texts } of all) strictEqual(new Set(texts).size, texts.length);
    }),
    over('is up only when a text that is published from then on comes', 0, async () => {
      for (let round = 0; round < 10; round++) await withProbes(2, reaches);
    }),
    over('leaves texts as they are, up to the longest', 2, async (a, b) => {
      const { maxFrameBytes = MAX_FRAME_BYTES } = a.transport;
      const odd = ['"quoted" \\ \'single\' {"json":[1,2]}', 'äöü € 漢字 \u{1f600}', '%s $1 * > \t'];
      const texts = odd.map(mark);
      const shell = mark('');
      const longest = Math.min(maxFrameBytes, MAX_FRAME_BYTES) - Buffer.byteLength(shell);
      texts.push(shell.replace('""', `"${'x'.repeat(longest)}"`));
      texts.push(shell.replace('""', `"${'é'.repeat(Math.floor(longest / 2))}"`));
      for (const text of texts) await a.transport.publish(text);
      await until('all texts have come', () => texts.every((text) => b.has(text)));
    }),
    over('keeps the order of texts that one publishes without waiting', 2, async (a, b) => {
      const texts = Array.from({ length: 500 }, (_, index) => mark(`${index}`));
      await Promise.all(texts.map((text) => a.transport.publish(text)));
      await until('all texts have come', () => texts.every((text) => b.has(text)));
      const heard = b.texts.filter((text) => texts.includes(text));
      deepStrictEqual(heard, texts);
    }),
    over('hears nothing after disconnect(), and all again after another connect()', 2, async (a, b) => {
      for (let round = 1; round <= 3; round++) {
        await b.disconnect();
        const before = b.texts.length;
        await reaches(a, a);
        strictEqual(b.texts.length, before, 'a text came though nobody was connected');
        b.connect();
        await until('the subscription is acknowledged', () => b.ups === round + 1);
        await reaches(a, b);
      }
      deepStrictEqual(b.errors, []);
    }),
    over('may be given up at any time, also twice, before it is up or was connected', 0, async () => {
      const transport = await makeTransport();
      await transport.disconnect();
      for (let round = 0; round < 5; round++) {
        const probe = new Probe(transport);
        probe.connect();
        if (round % 2 === 1) await hostPause(round);
        await probe.disconnect();
        await probe.disconnect();
        strictEqual(probe.texts.length, 0);
      }
    }),
    over('carries the hints of buses, and is live', 0, async () => {
      const buses = [createBus(await makeTransport()), createBus(await makeTransport())];
      try {
        await until('both are live', () => buses.every((bus) => bus.state === 'live'));
        const heard: string[] = [];
        const hinted = (key: string): boolean => heard.push(key) > 0;
        const sweep: BusMember['sweep'] = (ended) => ended(0);
        const [member] = buses.map((bus) => bus.join({ name: 'conformance', hinted, sweep }));
        const keys = Array.from({ length: 5_000 }, (_, index) => `key ${index}`);
        for (const key of keys) member.publish(key);
        await buses[0].flush();
        await until('all hints have come', () => heard.length >= keys.length);
        deepStrictEqual(heard, keys);
      } finally {
        await Promise.all(buses.map((bus) => bus.close()));
      }
    }),
  ];
  if (sever === undefined) return cases;
  const breaks = over('says that a connection broke, and connects again', 2, async (a, b) => {
    for (let round = 1; round <= 3; round++) {
      await sever();
      for (const probe of [a, b]) {
        await until('it says that it is down', () => probe.errors.length >= round);
        await probe.disconnect();
        const { ups } = probe;
        while (probe.ups === ups) {
          const failures = probe.errors.length;
          probe.connect();
          await until('it is up, or down', () => probe.ups > ups || probe.errors.length > failures);
          if (probe.ups === ups) await probe.disconnect();
        }
        probe.errors.length = round;
      }
      await reaches(a, b);
    }
  });
  return [...cases, breaks];
}
