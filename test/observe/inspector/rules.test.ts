// The rules of the page: what they find in frames and seconds, and the very words.
import { expect } from 'chai';
import type { Kept } from '../../../src/observe/inspector/frame.ts';
import { type Recording, recordingOf } from '../../../src/observe/inspector/page/data/history.ts';
import { absence, incidentsOf, judge } from '../../../src/observe/inspector/page/data/judge.ts';
import { RULES } from '../../../src/observe/inspector/page/data/rules.ts';
import { Queues } from '../../../src/waits/queues/index.ts';
import { bus, events, NOW_MS, present, type SecondChange, seconds } from './frames.ts';

const PASS = { key: 'orders-0', watchers: 100_000, tried: 61_000, ageMs: 640 };

/** What the verdict warns of, by its rules. */
const rulesOf = (told: Recording): string[] => judge(told).warnings.map(({ rule }) => rule);

/** With one special second, `count` seconds before now. */
function ago(count: number, change: SecondChange): Recording {
  return present({}, { seconds: seconds(120, (number) => (number === 120 - count ? change : {})) });
}

/** As a person reads it: without the marks of direction, and with plain spaces. */
const plain = (text: string): string => text.replaceAll(/[\u2068\u2069]/g, '').replaceAll('\u00a0', ' ');

/** The verdict in words, without the time of day. */
function said(told: Recording): string {
  const { headline, detail } = judge(told);
  return plain(`${headline}. ${detail}`).replaceAll(/\d\d:\d\d:\d\d/g, 'HH:MM:SS');
}

describe('the rules of the inspector', () => {
  it('have a name each, and find nothing where nothing is wrong', () => {
    expect(new Set(RULES.map(({ name }) => name))).to.have.property('size', RULES.length);
    expect(judge(present())).to.include({ level: 'well', headline: 'All is quiet' });
    const busy = present({ purgatory: { parked: 3 } }, { seconds: seconds(600) });
    expect(judge(busy)).to.include({ level: 'well', headline: 'All is well' });
    expect(incidentsOf(busy.seconds)).to.deep.equal([]);
    expect(incidentsOf([])).to.deep.equal([]);
  });

  it('tell the worst first, and of the chosen purgatory and its timer only', () => {
    const told = present(
      { purgatory: { parked: 95, maxParked: 100 } },
      { seconds: seconds(5, () => ({ fetch: { failed: 1, overdueMs: 2000 }, late: 64 })) },
    );
    expect(
      judge(recordingOf(told, 'fetch')).warnings.map(({ level, rule }) => `${level}: ${rule}`),
    ).to.deep.equal(['bad: overdue', 'warn: refused', 'warn: threw', 'warn: late']);
    expect(rulesOf(recordingOf(told, 'another'))).to.deep.equal([]);
    expect(incidentsOf(recordingOf(told, 'jobs').seconds)).to.deep.equal([]);
  });

  describe('of a blocked event loop', () => {
    const block = (blocked: SecondChange['blocked']) => said(ago(3, { blocked }));

    it('tell it for ten seconds, bad from a second on, and as a hang from two seconds on for a minute', () => {
      const told = (overMs: number, count: number): string[] =>
        judge(ago(count, { blocked: { overMs } })).warnings.map(({ level, rule }) => `${level}: ${rule}`);
      expect(told(99, 3)).to.deep.equal([]);
      expect(told(100, 3)).to.deep.equal(['warn: blocked']);
      expect(told(999, 9)).to.deep.equal(['warn: blocked']);
      expect(told(1000, 9)).to.deep.equal(['bad: blocked']);
      expect(told(1999, 10)).to.deep.equal([]);
      expect(told(2000, 59)).to.deep.equal(['bad: hung']);
      expect(told(2000, 60)).to.deep.equal([]);
    });

    it('tell the longest of several hangs', () => {
      const two = seconds(60, (number) => ({ blocked: { overMs: { 20: 11_000, 50: 2100 }[number] ?? 2 } }));
      expect(said(present({}, { seconds: two }))).to.contain('the server hung for 11 s.');
    });

    it('give both numbers, and name a cause only from four fifths on', () => {
      expect(block({ overMs: 3000, ranMs: 1302, waitedMs: 1589 })).to.equal(
        'Something is wrong: the server hung for 3 s. HH:MM:SS–HH:MM:SS: The event loop stood still, and nothing was answered. In that time the process ran for 1.3 s and waited 1.6 s for a CPU.',
      );
      expect(block({ overMs: 1000, ranMs: 799, waitedMs: 0 })).to.match(
        /ran for 799 ms and waited 0 ms for a CPU\.$/,
      );
      expect(block({ overMs: 1000, ranMs: 800, waitedMs: 0 })).to.match(
        /for a CPU: a callback took long, the garbage collector worked, or code spun on microtasks\.$/,
      );
      expect(block({ overMs: 1000, ranMs: 100, waitedMs: 799 })).to.match(/blocked\. .* for a CPU\.$/);
      expect(block({ overMs: 1000, ranMs: 100, waitedMs: 800 })).to.match(
        /^Something is wrong: the process got no CPU\. .* for a CPU: other processes of this machine, or a CPU limit, took it\.$/,
      );
      expect(block({ overMs: 1000, ranMs: 100, waitedMs: 101 })).to.match(/for a CPU\.$/);
      expect(block({ overMs: 1000, ranMs: 100, waitedMs: 100 })).to.match(
        /for a CPU: it or the machine was stopped or suspended, or it waited in a synchronous call/,
      );
    });

    it('say so where the system does not tell how long the process waited', () => {
      expect(block({ overMs: 1000, ranMs: 20, waitedMs: null })).to.match(
        /ran for 20 ms; how long it waited for a CPU, this system does not say\.$/,
      );
      expect(block({ overMs: 1000, ranMs: 900, waitedMs: null })).to.match(/a callback took long/);
    });

    it('say which event could not go on meanwhile, as it began before', () => {
      const held = (ageMs: number): string =>
        said(
          ago(3, {
            blocked: { overMs: 480, ranMs: 480 },
            fetch: { pass: { ...PASS, ageMs, tryMs: null } },
          }),
        );
      expect(held(490)).to.match(
        /microtasks\. The event on orders-0 in fetch could not go on meanwhile \(61,000 of 100,000 tried\)\.$/,
      );
      expect(held(470)).to.not.contain('could not go on');
    });
  });

  it('tell a process that waits for a CPU in small portions, with both numbers', () => {
    expect(rulesOf(ago(3, { ranMs: 500, waitedMs: 499 }))).to.deep.equal([]);
    expect(said(ago(3, { ranMs: 480, waitedMs: 510 }))).to.equal(
      'Have a look: the process waits for a CPU. HH:MM:SS–HH:MM:SS: In 1 s the process ran for 480 ms and waited 510 ms for a CPU.',
    );
  });

  it('tell late tasks, but not those that a block has made late', () => {
    expect(rulesOf(ago(3, { late: 32 }))).to.deep.equal([]);
    expect(rulesOf(ago(3, { late: 64 }))).to.deep.equal(['late']);
    expect(rulesOf(ago(3, { late: null }))).to.deep.equal(['late']);
    expect(rulesOf(ago(3, { late: 64, blocked: { overMs: 40 } }))).to.deep.equal([]);
    const often = seconds(9, (number) => ({ blocked: { overMs: 90 }, late: number === 9 ? 512 : 1 }));
    expect(rulesOf(present({}, { seconds: often }))).to.deep.equal([]);
    const echo = (ago: number): string[] =>
      incidentsOf(
        seconds(60, (number) =>
          number === 30 ? { blocked: { overMs: 3000 } } : number === 30 + ago ? { late: 2048 } : {},
        ),
      ).map(({ rule }) => rule);
    expect(echo(3)).to.deep.equal(['hung']);
    expect(echo(4)).to.deep.equal(['hung', 'late']);
    const late = (ranMs: number, waitedMs: number): string => said(ago(3, { late: 64, ranMs, waitedMs }));
    expect(late(900, 0)).to.equal(
      'Have a look: the timer ran late. HH:MM:SS–HH:MM:SS: One task in a hundred ran up to 64 ms late, and no block explains it. In 1 s the process ran for 900 ms and waited 0 ms for a CPU: many deadlines or events came at once, and were served in slices.',
    );
    const two = { wheels: { ran: 1, latenessMs: 1 }, slow: { ran: 1, latenessMs: 512 } };
    expect(said(ago(3, { timers: two })), 'the latest of several').to.contain('up to 512 ms late');
    expect(late(6, 490)).to.match(/ran for 6 ms and waited 490 ms for a CPU\.$/);
    expect(late(6, 0)).to.match(/the timer may be advanced by hand, and too seldom\.$/);
  });

  it('tell that the connection was interrupted only where the server went on meanwhile', () => {
    const silence = { forMs: 3000, untilMs: NOW_MS - 20_000 };
    expect(said(present({}, { silence }))).to.match(
      /^All is well, with a remark: the connection was interrupted\. Nothing came for 3 s, until HH:MM:SS: the server went on meanwhile/,
    );
    expect(rulesOf({ ...ago(20, { blocked: { overMs: 2900 } }), silence })).to.deep.equal(['hung']);
    expect(rulesOf(present({}, { silence: { ...silence, untilMs: NOW_MS - 60_001 } }))).to.deep.equal([]);
  });

  it('call a deadline that passed a second ago unanswered bad, unless a block explains it', () => {
    const past = (overdueMs: number, more: SecondChange = {}): string[] =>
      rulesOf(ago(0, { fetch: { overdueMs }, ...more }));
    expect(past(999)).to.deep.equal([]);
    expect(past(1000)).to.deep.equal(['overdue']);
    expect(past(2400, { blocked: { overMs: 1500 } })).to.deep.equal(['blocked']);
    expect(past(2500, { blocked: { overMs: 1500 } })).to.deep.equal(['overdue', 'blocked']);
    expect(said(ago(3, { fetch: { overdueMs: 5000 } }))).to.equal(
      'Something is wrong: a deadline has passed unanswered. HH:MM:SS–HH:MM:SS: In fetch an operation was still parked 5 s after its deadline. Does its timer run? With the reaper off, only advanceClock() runs it.',
    );
  });

  it('name the key of an event that has been under way for more than half a second, and how far it is', () => {
    const at = (ageMs: number, more = {}): Recording =>
      present(events({ oldestMs: ageMs, oldestPass: { ...PASS, ageMs }, ...more }));
    expect(rulesOf(at(500))).to.deep.equal([]);
    expect(rulesOf(recordingOf(at(640), 'another'))).to.deep.equal([]);
    expect(said(at(640))).to.match(
      /^Have a look: the event on orders-0 takes long\. In fetch: 61,000 of 100,000 tried in 640 ms\. The event loop goes on meanwhile/,
    );
    expect(said(at(640, { pendingKeys: 3 }))).to.contain(
      '640 ms. 3 keys wait for their event. The event loop',
    );
    expect(said(at(640, { pendingKeys: 3, oldestPass: null }))).to.match(
      /^Have a look: events of purgatory fetch wait long\. 3 keys wait for their event, the oldest for 640 ms\. /,
    );
    const pass = { ...PASS, ageMs: 1200, tryMs: 0.02 };
    expect(said(ago(3, { fetch: { pass } }))).to.match(
      /^Have a look: the event on orders-0 took long\. .*: In fetch: 61,000 of 100,000 tried in 1\.2 s\. A try with its answer takes 20 µs\. What helps/,
    );
    expect(rulesOf(ago(3, { fetch: { pass: { ...pass, ageMs: 500 } } }))).to.deep.equal([]);
  });

  it('tell a key whose event would take a second, and while none is under way', () => {
    const hot = (eventMs: number, more = {}): Recording =>
      ago(3, { fetch: { hottest: { key: 'orders-0', watchers: 100_000, eventMs }, ...more } });
    expect(rulesOf(hot(999))).to.deep.equal([]);
    expect(said(hot(1100))).to.match(
      /an event on orders-0 would take long\. .* It had 100,000 watchers in fetch\. A try with its answer has taken 11 µs, so an event on it takes about 1\.1 s, and longer beside other work\./,
    );
    expect(rulesOf(hot(1100, { pass: { ...PASS, tryMs: 0.01 } }))).to.deep.equal(['long event']);
  });

  it('name key, label and cost of a condition that is slow, also where the loop stood still', () => {
    const slowTry = { key: 'orders-0', type: 'waitFor', label: 'order page', tryMs: 200, atMs: 5 };
    expect(said(ago(3, { fetch: { slowTry } }))).to.equal(
      'Have a look: the condition on orders-0 is slow. HH:MM:SS–HH:MM:SS: In fetch a try of order page for orders-0 took 200 ms. The event loop stands still meanwhile: let it look at what is there, and return a promise where it has to read.',
    );
    expect(rulesOf(ago(3, { fetch: { slowTry: { ...slowTry, tryMs: 49 } } }))).to.deep.equal([]);
    expect(said(ago(3, { blocked: { overMs: 2600, ranMs: 2600 }, fetch: { slowTry } }))).to.match(
      /the server hung for 2\.6 s\. .* microtasks\. In fetch a try of order page for orders-0 took 200 ms\.$/,
    );
  });

  describe('of a purgatory with a limit', () => {
    const full = (parked: number, refused = 0, told = present()): string =>
      said({
        ...told,
        frames: present({ purgatory: { parked, maxParked: 500, refused: { ERR_PURGATORY_FULL: refused } } })
          .frames,
      });
    const refusing = ago(40, { fetch: { refused: { ERR_PURGATORY_FULL: 312 } } });

    it('tell that it is nearly full from nine tenths on, and full when it is', () => {
      expect(full(449)).to.match(/^All is well\./);
      expect(full(450)).to.equal(
        'Have a look: purgatory fetch is nearly full. It holds 450 of 500 operations. It has refused none so far.',
      );
      expect(full(500)).to.match(/^Have a look: purgatory fetch is full\. It holds 500 of 500 operations\./);
    });

    it('tell how many it has refused, and when the last', () => {
      expect(full(500, 312, refusing)).to.equal(
        'Have a look: purgatory fetch is full. It holds 500 of 500 operations. It has refused 312 with ERR_PURGATORY_FULL so far, the last at HH:MM:SS.',
      );
      expect(full(500, 312, ago(3, {}))).to.contain('so far, none in the time that the history has.');
      expect(full(10, 312, refusing)).to.match(/^All is well/);
      const recent = ago(3, { fetch: { refused: { ERR_PURGATORY_FULL: 312 } } });
      expect(full(10, 312, recent)).to.match(
        /^Have a look: purgatory fetch has refused operations\. It holds 10 of 500/,
      );
    });
  });

  it('tell what threw, how often, and the last error with its operation, key and purgatory', () => {
    const error = { message: 'TypeError: no', operation: 'Fetch', key: 'orders-0' };
    const told = present(
      {},
      { seconds: seconds(9, (number) => ({ fetch: { failed: number, ...(number === 4 && { error }) } })) },
    );
    expect(said(told)).to.match(
      /^Have a look: operations throw\. HH:MM:SS–HH:MM:SS: 45 calls of tryComplete, onComplete or onExpiration threw\. The last error: TypeError: no \(Fetch on orders-0 in fetch\)\.$/,
    );
    expect(said(ago(3, { fetch: { failed: 1 } }))).to.match(
      /1 call of .* threw\. The errors went to onError\.$/,
    );
    expect(rulesOf(ago(10, { fetch: { failed: 1 } }))).to.deep.equal([]);
  });

  it('tell waits that were rejected, with the last error', () => {
    const error = { message: 'Error: connect ECONNREFUSED', operation: 'order page', key: 'orders-0' };
    expect(said(ago(3, { fetch: { rejected: 100, error } }))).to.equal(
      'Have a look: waits are rejected by errors. HH:MM:SS–HH:MM:SS: 100 waits were rejected, because the condition threw or a load failed. The last error: Error: connect ECONNREFUSED (order page on orders-0 in fetch).',
    );
  });

  describe('of what grows', () => {
    /** With `count` seconds, and what the purgatory was like in each. */
    const of = (count: number, fetch: (number: number) => SecondChange['fetch']): string[] =>
      rulesOf(present({}, { seconds: seconds(count, (number) => ({ fetch: fetch(number) ?? {} })) }));

    it('tell waits without a deadline that grow for 20 s, with one of them, and no burst of them', () => {
      const endless = (count: number, parked: (number: number) => number): string[] =>
        of(count, (number) => ({ endless: parked(number), endlessOne: 'a poll' }));
      expect(endless(21, (number) => 366 * number)).to.deep.equal(['endless']);
      expect(endless(20, (number) => 366 * number)).to.deep.equal([]);
      expect(endless(60, (number) => 5 * number)).to.deep.equal(['endless']);
      expect(endless(60, (number) => 4 * number)).to.deep.equal([]);
      expect(endless(60, (number) => Math.min(11_000, 700 * number))).to.deep.equal([]); // clients come back
      expect(endless(60, () => 11_000)).to.deep.equal([]);
      const leak = seconds(40, (number) => ({ fetch: { endless: 366 * number, endlessOne: 'a poll' } }));
      expect(said(present({}, { seconds: leak }))).to.equal(
        'Have a look: waits without a deadline pile up. HH:MM:SS–HH:MM:SS: In fetch 14,640 were parked without one, 7,320 more than 20 s before. One of them is a poll. Only an event, a signal or a cancel ends them: give them a timeoutMs, or the signal of their client.',
      );
    });

    it('say that waits without a deadline are watched before they are judged', () => {
      const young = seconds(10, (number) => ({ fetch: { endless: 300 * number } }));
      expect(said(present({}, { seconds: young }))).to.equal(
        'All is well so far. Watching: 3,000 waits without a deadline in fetch, 2,700 more than 9 s before.',
      );
    });

    it('tell that more is parked than leaves for a minute, where as many left before', () => {
      const outage = (number: number) =>
        number <= 120 ? { parked: 500, completed: 50 } : { parked: 500 + 50 * (number - 120) };
      expect(of(180, outage)).to.deep.equal(['piling up']);
      expect(of(140, outage)).to.deep.equal([]);
      expect(said(present({}, { seconds: seconds(180, (number) => ({ fetch: outage(number) })) }))).to.equal(
        'Have a look: more is parked than leaves. HH:MM:SS–HH:MM:SS: In fetch 3,500 were parked, 3,000 more than a minute before. In that minute 3,000 came and 0 left; earlier they kept pace. Do the events still come, and do the conditions hold?',
      );
      // A process that has just begun, whose polls of a few minutes come one by one.
      expect(of(200, (number) => ({ parked: 50 * number }))).to.deep.equal([]);
      // A load that grows, and is answered.
      const busier = (number: number) => ({ parked: 10 * number, completed: 10 * number });
      expect(of(600, busier)).to.deep.equal([]);
    });

    it('tell a key that grows in each tenth of a minute', () => {
      const grows = (watchers: (number: number) => number): string[] =>
        of(70, (number) => ({ hottest: { key: 'orders-0', watchers: watchers(number), eventMs: 0 } }));
      expect(grows((number) => 20 + 2 * number)).to.deep.equal(['growing']);
      expect(grows((number) => 20 + 2 * (number % 40))).to.deep.equal([]);
      expect(grows((number) => 20 + number)).to.deep.equal([]);
      expect(
        of(70, (number) => ({
          hottest: { key: `orders-${number % 5}`, watchers: 20 + 2 * number, eventMs: 0 },
        })),
      ).to.deep.equal([]);
    });
  });

  it('tell loads that have been under way for long, and who stands behind them', () => {
    const load = { key: 'order-7', keys: 3, ageMs: 45_000, waits: 1_200, keysDue: 40 };
    expect(said(ago(0, { fetch: { load } }))).to.equal(
      'Have a look: loads of shared state do not end. HH:MM:SS–HH:MM:SS: In fetch the load of order-7 and 2 other keys has been under way for 45 s. 1,200 waits stand behind it, and 40 keys wait for a load. Is the store up? loadTimeoutMs gives such a load up.',
    );
    const lone = { ...load, keys: 1, keysDue: 0, waits: 1 };
    expect(said(ago(0, { fetch: { load: lone } }))).to.contain(
      'the load of order-7 has been under way for 45 s. 1 wait stands behind it. Is',
    );
  });

  it('tell loads that fail, since when, with the last error', () => {
    const error = { message: 'Error: connect ECONNREFUSED', operation: 'a load of 3 keys', key: null };
    const failing = seconds(60, (number) =>
      number > 20 ? { fetch: { parked: 900, loadsFailed: 2, error } } : {},
    );
    expect(said(present({}, { seconds: failing }))).to.equal(
      'Have a look: loads of shared state fail. HH:MM:SS–HH:MM:SS: 20 loads of fetch failed, and 900 waits are parked there. Is the store up? The last error: Error: connect ECONNREFUSED (a load of 3 keys in fetch).',
    );
    const [{ fromMs, untilMs }] = incidentsOf(failing);
    expect(untilMs - fromMs).to.equal(40_000);
    const since = (told: Recording) => plain(judge(told).detail).slice(0, 8);
    const clockAt = (ms: number) => new Date(ms).toTimeString().slice(0, 8);
    expect(since(present({}, { seconds: failing }))).to.equal(clockAt(NOW_MS - 40_000));
  });

  it('tell conditions whose promise does not settle', () => {
    const openTry = { wait: 'order page', openMs: 45_000, open: 200 };
    expect(said(ago(0, { fetch: { openTry } }))).to.equal(
      'Have a look: conditions do not settle. HH:MM:SS–HH:MM:SS: In fetch 200 tries are open: the condition has returned a promise that has not settled. The oldest, of order page, has been open for 45 s. Until it settles, no event reaches its wait. Give reads a deadline of their own: timeoutSignal(5_000, { signal: context.signal }).',
    );
  });

  describe('of a permit that others wait for', () => {
    const holder = { key: 'ann', label: 'the report of July', units: 1, ageMs: 20_000 };
    const wanted = { key: 'ann', waiting: 50, waitedMs: 12_000 };

    it('tell the key, who waits since when, and who holds it', () => {
      expect(said(ago(0, { fetch: { held: { ...wanted, holder } } }))).to.equal(
        'Have a look: a permit is held for long while others wait. HH:MM:SS–HH:MM:SS: For ann in fetch, 50 waits are parked, the oldest since HH:MM:SS (12 s). the report of July has held 1 unit for 20 s. Is it released on every path?',
      );
    });

    it('say that a label would tell who holds it', () => {
      expect(said(ago(0, { fetch: { held: { ...wanted, waiting: 1 } } }))).to.contain(
        'For ann in fetch, 1 wait is parked, the oldest since HH:MM:SS (12 s). Who holds it, a label of the permit would say: acquire({ label }). Is it',
      );
    });

    it('watch it before ten seconds are over, unless it has been held for a minute', () => {
      const young = { ...wanted, waitedMs: 4_000 };
      expect(said(ago(0, { fetch: { held: young } }))).to.equal(
        'All is well so far. Watching: 50 waits for ann in fetch, the oldest for 4 s.',
      );
      expect(rulesOf(ago(0, { fetch: { held: { ...young, holder } } }))).to.deep.equal([]);
      const old = { ...young, holder: { ...holder, ageMs: 60_000 } };
      expect(rulesOf(ago(0, { fetch: { held: old } }))).to.deep.equal(['held']);
    });
  });

  describe('of items', () => {
    const kept = (count: number, of: (number: number) => SecondChange['fetch']): Recording =>
      present({}, { seconds: seconds(count, (number) => ({ fetch: of(number) ?? {} })) });
    const items = (size: number, max: number | null = null, more: Partial<Kept> = {}) => ({
      items: { size, max, delayed: 0, leased: 0, oldest: null, leasedLongest: null, ...more },
    });

    it('tell a backlog that grows for ten seconds, and nobody or too few who take', () => {
      const grows = (count: number) => kept(count, (number) => ({ parked: 0, ...items(200 * number) }));
      expect(said(grows(11))).to.equal(
        'Have a look: items pile up, and too few are taken. HH:MM:SS–HH:MM:SS: In fetch 2,200 items were kept, 2,000 more than 10 s before; none was taken meanwhile, and nobody waits for one. Do the takers run, and are they enough? maxItems refuses what is too much.',
      );
      expect(said(grows(10))).to.equal(
        'All is well so far. Watching: 2,000 items in fetch, 1,800 more than 9 s before.',
      );
      const slow = kept(61, (number) => ({ parked: 1, taken: 3, ...items(2 * number) }));
      expect(said(slow)).to.contain(
        'In fetch 122 items were kept, 120 more than 60 s before; 180 were taken meanwhile, and 1 take waits for other keys.',
      );
    });

    it('tell nothing of a burst that is taken, nor where more wait than there are items', () => {
      expect(rulesOf(kept(60, (number) => items(Math.max(0, 5000 - 100 * number))))).to.deep.equal([]);
      expect(rulesOf(kept(60, (number) => ({ parked: 90_000, ...items(200 * number) })))).to.deep.equal([]);
    });

    it('tell queues that are nearly full, and full, also in the history', () => {
      const full = (size: number): string => said(kept(3, () => items(size, 100)));
      expect(full(89)).to.match(/^All is/);
      expect(full(99)).to.contain(
        'Have a look: queues are nearly full. HH:MM:SS–HH:MM:SS: fetch keeps 99 of 100 items, 99 %. What is put beyond that is refused with ERR_PURGATORY_FULL.',
      );
      expect(full(100)).to.contain('queues are full.');
      const later = kept(3, () => items(50, 100, { delayed: 45 })); // those that come later count, too
      expect(said(later)).to.contain('fetch keeps 95 of 100 items, 95 %.');
      const was = seconds(60, (number) => ({ fetch: number < 9 ? items(99, 100) : {} }));
      expect(incidentsOf(was).map(({ rule }) => rule)).to.deep.equal(['items full']);
    });

    it('do not call a process quiet that keeps items', () => {
      expect(said(present({ purgatory: { parked: 0 } }))).to.match(/^All is quiet\./);
      const queues = new Queues('jobs');
      queues.put('a', 1);
      const { items } = queues.snapshot();
      expect(said(present({ purgatory: { parked: 0, items } }))).to.match(/^All is well\./);
    });

    it('tell items that are older than a minute, with the key and the age', () => {
      const old = (ageMs: number) =>
        kept(3, () => ({ parked: 2, ...items(3, null, { oldest: { key: 'mail', ageMs } }) }));
      expect(rulesOf(old(59_999))).to.deep.equal([]);
      expect(said(old(90_000))).to.equal(
        'Have a look: items wait long for a taker. HH:MM:SS–HH:MM:SS: In fetch the first item of mail has been kept for 1.5 min or longer, of 3 items in all; 2 takes wait for other keys. Do the takers run, are they enough, and do they take this key?',
      );
    });

    it('tell items that expire, and leases that end by their time, with the one that is out longest', () => {
      expect(said(ago(0, { fetch: { parked: 0, itemsExpired: 7 } }))).to.equal(
        'Have a look: items expire before anybody takes them. HH:MM:SS–HH:MM:SS: 7 items of fetch did; nobody waits for one. Do the takers run, and are they enough?',
      );
      const leasedLongest = { key: 'mail', label: 'worker 3', ageMs: 20_000, deliveries: 5 };
      expect(
        said(ago(0, { fetch: { lapsed: 2, ...items(0, null, { leased: 1, leasedLongest }) } })),
      ).to.equal(
        'Have a look: leases end before their items are acknowledged. HH:MM:SS–HH:MM:SS: 2 leases of fetch ended by their time, and the items are given again: the work takes longer than leaseMs, or who had them has gone. Out longest: an item of mail, for 20 s, by worker 3, delivered 5 times.',
      );
      expect(said(ago(0, { fetch: { lapsed: 1 } }))).to.match(/who had them has gone\.$/);
    });
  });

  it('tell a bus that is cut off by the name that it was given, and afterwards that it was', () => {
    const cut = { state: 'gap', nowMs: 9000, sinceMs: 7000 } as const;
    const told = (more: Parameters<typeof bus>[0]): string =>
      said(present({ buses: [bus({ ...cut, ...more })] }));
    expect(told({ name: 'ordersBus' })).to.equal(
      'Have a look: the bus ordersBus is cut off. It has been in a gap for 2 s: hints of other processes do not arrive. Until it is live, waits have only their deadlines.',
    );
    expect(told({})).to.contain('the bus local is cut off');
    expect(told({ state: 'closed' })).to.contain(
      'It has been closed for 2 s: hints of other processes do not arrive. It does not connect again, and waits have only their deadlines.',
    );
    expect(told({ pendingKeys: 1, lastError: { message: 'no', atMs: 1 } })).to.contain(
      'do not arrive, and 1 key waits to be sent. Until it is live, waits have only their deadlines. It said: no.',
    );
    expect(told({ sinceMs: 8001 })).to.match(/^All is quiet/);
    expect(told({ sinceMs: 8000 })).to.contain('is cut off');
    expect(said(ago(3, { cutOff: ['ordersBus'] }))).to.match(
      /^Have a look: a bus was cut off\. HH:MM:SS–HH:MM:SS: No hints of other processes came over ordersBus, so/,
    );
  });

  it('tell a bus that is in doubt, and afterwards that it was', () => {
    const doubt = { beganMs: 5000, silent: 2, heard: 0 };
    expect(said(present({ buses: [bus({ name: 'orders', nowMs: 9000, doubt })] }))).to.equal(
      'Have a look: the bus orders may hear only a part of the others. 4 s ago 2 other processes have fallen silent at once, without a goodbye; 0 still heard. Were they killed, or is the engine split? Until one is heard, all that is parked is tried every three echoes.',
    );
    expect(said(ago(3, { inDoubt: ['orders'] }))).to.match(
      /: Most processes on orders fell silent at once\.$/,
    );
  });

  it('remark that most operations expire, once there are enough to say so', () => {
    const ended = (completed: number, expired: number): string[] =>
      rulesOf(
        present(
          {},
          { seconds: seconds(70, (number) => (number > 10 ? { fetch: { completed, expired } } : {})) },
        ),
      );
    expect(ended(1, 2)).to.deep.equal(['expiring']);
    expect(ended(2, 1)).to.deep.equal([]);
    expect(rulesOf(ago(3, { fetch: { expired: 19 } }))).to.deep.equal([]);
  });
});

describe('the incidents that the inspector tells', () => {
  const told = (count: number, change: (number: number) => SecondChange): [string, number][] =>
    incidentsOf(seconds(count, change)).map(({ rule, fromMs, untilMs }) => [rule, (untilMs - fromMs) / 1000]);

  it('are one of a kind, from the first time to the last, and say how often', () => {
    const blocked = [100, 101, 105, 109, 200];
    const all = seconds(300, (number) => (blocked.includes(number) ? { blocked: { overMs: 150 } } : {}));
    expect(
      told(300, (number) => (blocked.includes(number) ? { blocked: { overMs: 150 } } : {})),
    ).to.deep.equal([['blocked', 101]]);
    expect(incidentsOf(all)[0].times).to.equal(2); // a few good seconds end none
  });

  it('have the worst first: a hang, then what people wait for, then what they hardly notice', () => {
    const held = { key: 'ann', waitedMs: 60_000, waiting: 2 };
    const all = told(600, (number) => ({
      ...(number < 540 && number % 8 === 0 && { blocked: { overMs: 320, waitedMs: 320 } }),
      ...(number === 30 && { blocked: { overMs: 11_000 } }),
      ...(number > 100 && number < 160 && { cutOff: ['orders'] }),
      fetch: number < 500 ? { held } : {},
    }));
    expect(all.map(([rule]) => rule)).to.deep.equal(['hung', 'held', 'cut off', 'blocked']);
  });

  it('say the same as the verdict, of all their seconds', () => {
    const refusing = seconds(5, (number) =>
      number === 3 || number === 4 ? { fetch: { refused: { full: 500 * number } } } : {},
    );
    expect(incidentsOf(refusing).map(({ what, why }) => plain(`${what}: ${why}`))).to.deep.equal([
      'operations were refused: fetch refused 3,500 with full, 2,000 a second at most.',
    ]);
  });
});

describe('the verdict while nothing comes', () => {
  const heard = { openedMs: 0, heardMs: 1000, nowMs: 2999 };

  it('is none for two seconds, then that the server is silent, since when this page listens', () => {
    expect(absence(heard, false)).to.equal(undefined);
    expect(absence({ ...heard, nowMs: 3000 }, false)).to.include({
      level: 'lost',
      headline: 'The server is silent',
    });
    expect(absence({ ...heard, openedMs: 2000, nowMs: 3000 }, false)).to.equal(undefined);
    expect(plain(absence({ ...heard, nowMs: 4000 }, false)?.detail ?? '')).to.match(
      /^What is shown is 3 s old\. The connection is still there/,
    );
  });

  it('is that the server does not answer where the connection is lost', () => {
    expect(absence(heard, true)).to.include({ level: 'lost', headline: 'The server does not answer' });
  });
});
