import { expect } from 'chai';
import type { Frame, HostTime, Second } from '../../../src/observe/inspector/frame.ts';
import { hangOf, type Told } from '../../../src/observe/inspector/page/data/silence.ts';
import { judge, type Verdict } from '../../../src/observe/inspector/page/data/verdict.ts';
import type { BusView, EndTotals, ServedEvents } from '../../../src/observe/inspector/view-types.ts';
import { type Change, events, frames } from './frames.ts';

const NONE: EndTotals = { completed: 0, expired: 0, cancelled: 0, failed: 0 };

const CUT_OFF_BUS: BusView = {
  name: null,
  engine: 'local',
  prefix: 'purgatory',
  state: 'gap',
  forMs: 2000,
  peers: 0,
  pendingKeys: 0,
  echoMs: null,
  lastGap: null,
  lastError: null,
  lastSweep: null,
  interest: null,
  totals: { published: 0, received: 0, gaps: 1 },
};

const PASS = { key: 'orders-0', watchers: 100_000, tried: 61_000, ageMs: 640 };

const totals = (more: Partial<EndTotals>): Change => ({
  purgatory: { totals: { ...NONE, ...more } },
});

/** The verdict of a page that has `told`, the history before it, and has heard of `hang`. */
function verdict(
  told: readonly Frame[],
  chosen?: string,
  { seconds = [], hang }: Partial<Pick<Told, 'seconds' | 'hang'>> = {},
): Verdict {
  return judge({ frames: told, seconds, hang }, chosen);
}

/** What the verdict warns of, by name, with its tone. */
function warned(count: number, change: (index: number) => Change, chosen?: string): string[] {
  return verdict(frames(count, change), chosen).warnings.map(({ tone, what }) => `${tone}: ${what}`);
}

describe('the verdict of the inspector', () => {
  it('says that all is quiet when nothing is parked, and that all is well when something is', () => {
    expect(verdict(frames(1))).to.include({ tone: 'well', headline: 'All is quiet' });
    const busy = frames(1, () => ({ purgatory: { parked: 3 } }));
    expect(verdict(busy)).to.include({ tone: 'well', headline: 'All is well' });
  });

  it('warns of an event loop that was blocked within the last ten seconds, and no longer after', () => {
    const blockedFor = (blockedMs: number, at: number) => (index: number) =>
      index === at ? { blockedMs } : {};
    expect(warned(50, blockedFor(99, 40))).to.deep.equal([]);
    expect(warned(50, blockedFor(100, 40))).to.deep.equal(['warn: the event loop was blocked']);
    expect(warned(50, blockedFor(1000, 40))).to.deep.equal(['bad: the event loop was blocked']);
    expect(warned(50, blockedFor(1000, 2))).to.deep.equal([]);
  });

  it('warns of a timer of which one task in a hundred ran late, by what ran in the last ten seconds', () => {
    const counts = (fast: number, late: number): Change => ({
      timer: {
        lateness: {
          leMs: [1, 2, 4, 8, 16, 32, 64, 128],
          counts: [fast, 0, 0, 0, 0, 0, 0, late, 0],
        },
      },
    });
    expect(warned(50, (index) => counts(index * 1000, index * 5))).to.deep.equal([]);
    expect(warned(50, (index) => counts(index * 1000, index * 15))).to.deep.equal([
      'warn: the timer runs late',
    ]);
    expect(warned(50, (index) => counts(index * 1000, 5000))).to.deep.equal([]);
  });

  it('names a busy machine when the process was ready to run and got no CPU, for a block and for lateness alike', () => {
    const late = (index: number) => ({
      lateness: { leMs: [1, 2, 4, 8, 16, 32, 64, 128], counts: [99 * index, 0, 0, 0, 0, 0, 0, 2 * index, 0] },
    });
    const starved = { blockedMs: 90, cpuMs: 12, waitedMs: 200 };
    const busy = verdict(frames(30, (index) => ({ timer: late(index), ...(index === 20 ? starved : {}) })));
    expect(busy.warnings.map(({ what }) => what)).to.deep.equal(['the machine is busy']);
    expect(busy.detail).to.match(
      /stood still for 90\sms.*one task in a hundred ran up to 128\sms.*got no CPU/,
    );
    const block = (host: Change) => warned(30, (index) => (index === 20 ? host : {}));
    expect(block({ ...starved, blockedMs: 300, waitedMs: 280 })).to.deep.equal(['warn: the machine is busy']);
    expect(block({ blockedMs: 300, waitedMs: null, cpuMs: 20, load: 4 })).to.deep.equal([
      'warn: the machine is busy',
    ]);
    expect(block({ blockedMs: 300, waitedMs: 280, cpuMs: 290 })).to.deep.equal([
      'warn: the event loop was blocked',
    ]);
    expect(block({ blockedMs: 300, waitedMs: null, cpuMs: 20, load: 0.5 })).to.deep.equal([
      'warn: the event loop was blocked',
    ]);
  });

  it('blames the timer only for more than the event loop itself was late', () => {
    const late = (blockedMs: number) => (index: number) => ({
      timer: { lateness: { leMs: [1, 2, 4, 8, 16, 32, 64, 128], counts: [0, 0, 0, 0, 0, 0, 0, index, 0] } },
      ...(index === 20 ? { blockedMs, cpuMs: 240 } : {}),
    });
    expect(warned(30, late(63))).to.deep.equal(['warn: the timer runs late']);
    expect(warned(30, late(64))).to.deep.equal(['warn: the event loop was blocked']);
  });

  it('tells for a minute how long the server hung, and not besides that the event loop was blocked', () => {
    const told = frames(60, (index) => (index === 10 ? { blockedMs: 30_000, cpuMs: 3 } : {}));
    const hang = {
      forMs: 30_000,
      atMs: told[10].atMs,
      wallMs: told[10].wallMs,
      host: told[10].host,
      heldUp: [],
    };
    const hung = verdict(told.slice(0, 12), undefined, { hang });
    expect(hung.headline).to.match(/^Something is wrong: the server hung for 30\ss$/);
    expect(hung.detail).to.match(/^Nothing came for 30\ss, until \d\d:\d\d:\d\d: .*used no CPU/);
    expect(hung.warnings).to.have.lengthOf(1);
    expect(
      verdict(told.slice(-1), undefined, { hang: { ...hang, atMs: told[59].atMs - 60_001 } }).tone,
    ).to.equal('well');
    expect(verdict(told.slice(-1), undefined, { hang: { ...hang, host: undefined } }).headline).to.equal(
      'All is well, with a remark: the connection was interrupted',
    );
  });

  it('calls a deadline that passed a second ago unanswered bad', () => {
    const left = (leftMs: number | null) => () => ({
      purgatory: { oldest: [{ id: null, type: 'Op', keys: ['a'], more: 0, ageMs: 5000, leftMs }] },
    });
    expect(warned(1, left(-999))).to.deep.equal([]);
    expect(warned(1, left(null))).to.deep.equal([]);
    expect(warned(1, left(-1000))).to.deep.equal(['bad: a deadline has passed unanswered']);
  });

  it('warns of a purgatory that is nearly full', () => {
    expect(warned(1, () => ({ purgatory: { parked: 89, maxParked: 100 } }))).to.deep.equal([]);
    expect(warned(1, () => ({ purgatory: { parked: 90, maxParked: 100 } }))).to.deep.equal([
      'warn: purgatory \u2068fetch\u2069 is nearly full',
    ]);
  });

  it('names the key of an event that has been under way for more than half a second, and how far it is', () => {
    const at = (ageMs: number, more: Partial<ServedEvents> = {}) => [
      ...frames(1, () =>
        events({ oldestMs: ageMs, passesUnderWay: 1, oldestPass: { ...PASS, ageMs }, ...more }),
      ),
    ];
    expect(verdict(at(500)).warnings).to.deep.equal([]);
    expect(verdict(at(640), 'another').warnings).to.deep.equal([]);
    const { headline, detail, warnings } = verdict(at(640));
    expect(warnings).to.have.lengthOf(1);
    expect(headline).to.equal('Have a look: the event on \u2068orders-0\u2069 takes long');
    expect(detail).to.match(
      /^In \u2068fetch\u2069, \u2068orders-0\u2069: 61,000 of 100,000 tried, 640\sms\. The loop goes on meanwhile/,
    );
    expect(verdict(at(640, { pendingKeys: 3, passesUnderWay: 2 })).detail).to.match(
      /640\sms\. In all, 2 events are under way and 3 keys wait for theirs, the oldest for 640\sms\. The loop/,
    );
    const pending = { pendingKeys: 3, passesUnderWay: 0, oldestPass: null };
    expect(verdict(at(640, pending)).headline).to.equal(
      'Have a look: events of purgatory \u2068fetch\u2069 wait long',
    );
  });

  it('warns of a key whose event would take a second, once a try was timed, and while none is under way', () => {
    const hot = (watchers: number, more: Partial<ServedEvents>) => () => ({
      purgatory: { ...events(more).purgatory, hottestKeys: [{ key: 'orders-0', watchers }] },
    });
    const warning = ['warn: an event on \u2068orders-0\u2069 would take long'];
    expect(warned(1, hot(100_000, { tryMs: null }))).to.deep.equal([]);
    expect(warned(1, hot(100_000, { tryMs: 0.0099 }))).to.deep.equal([]);
    expect(warned(1, hot(100_000, { tryMs: 0.011 }))).to.deep.equal(warning);
    expect(warned(1, hot(100_000, { tryMs: 0.011 }), 'another')).to.deep.equal([]);
    expect(verdict(frames(1, hot(100_000, { tryMs: 0.011 }))).detail).to.match(
      /^In \u2068fetch\u2069 it has 100,000 watchers: .* about 1\.1\ss, and longer beside other work\./,
    );
    const underWay = { tryMs: 0.011, passesUnderWay: 1, oldestMs: 640, oldestPass: PASS };
    expect(warned(1, hot(100_000, underWay))).to.deep.equal([
      'warn: the event on \u2068orders-0\u2069 takes long',
    ]);
  });

  it('says which event could not go on while the loop was blocked, as it began before, and no other', () => {
    const blocked = (blockedMs: number, ageMs: number): Frame[] =>
      frames(50, (index) =>
        index === 40
          ? {
              ...events({ passesUnderWay: 1, oldestMs: ageMs, oldestPass: { ...PASS, ageMs } }),
              blockedMs,
              cpuMs: blockedMs,
            }
          : {},
      );
    const heldUp =
      /microtasks\. The event on \u2068orders-0\u2069 in \u2068fetch\u2069 could not go on meanwhile \(61,000 of 100,000 tried\)\.$/;
    expect(verdict(blocked(1500, 1600)).detail).to.match(heldUp);
    expect(verdict(blocked(1500, 1400)).detail).to.match(/microtasks\.$/);
    const heard = blocked(5000, 5100);
    const before = { frames: heard.slice(0, 40), heardMs: 1000, openedMs: 0, nowMs: 6000 };
    const at = { ...heard[40], atMs: heard[39].atMs + 5000 };
    const hung = verdict([...heard.slice(0, 40), at], undefined, { hang: hangOf(before, at) });
    expect(hung.headline).to.match(/the server hung for 5\ss$/);
    expect(hung.detail).to.match(heldUp);
    const recorded: Second = {
      number: 1,
      wallMs: heard[0].wallMs - 500,
      overMs: 5000,
      host: { blockedMs: 4400, cpuMs: 4400, waitedMs: 0, load: 0.1 },
      purgatories: { fetch: [1, 0, 0, 0, 0, { pass: { ...PASS, ageMs: 4500, passes: 2 } }] },
      timers: {},
    };
    const opened = verdict(frames(1), undefined, { seconds: [recorded] });
    expect(opened.detail).to.match(/It lasted.*tried\), nor could 1 other\.$/);
  });

  it('warns of operations that throw', () => {
    expect(warned(50, (index) => totals({ failed: index > 20 ? 1 : 0 }))).to.deep.equal([
      'warn: operations throw',
    ]);
    expect(warned(50, (index) => totals({ failed: index > 2 ? 1 : 0 }))).to.deep.equal([]);
  });

  it('warns of a key that only grows for ten seconds', () => {
    const watchers = (of: (index: number) => number) => (index: number) => ({
      purgatory: { hottestKeys: [{ key: 'orders-0', watchers: of(index) }] },
    });
    expect(
      warned(
        50,
        watchers((index) => 100 + index),
      ),
    ).to.deep.equal(['warn: a key grows without completion']);
    expect(
      warned(
        50,
        watchers((index) => (index === 45 ? 1 : 100 + index)),
      ),
    ).to.deep.equal([]);
    expect(
      warned(
        50,
        watchers((index) => 100 + index / 10),
      ),
    ).to.deep.equal([]);
    expect(
      warned(
        20,
        watchers((index) => 100 + index * 10),
      ),
    ).to.deep.equal([]);
  });

  it('remarks that most operations expire, once there are enough to say so', () => {
    const remark = ['note: most operations run into their deadline'];
    expect(warned(8, (index) => totals({ completed: index, expired: 2 * index }))).to.deep.equal(remark);
    expect(warned(8, (index) => totals({ completed: 2 * index, expired: index }))).to.deep.equal([]);
    expect(warned(3, (index) => totals({ expired: index }))).to.deep.equal([]);
  });

  it('tells the worst first, and of the chosen purgatory only', () => {
    const both = (index: number): Change => ({
      blockedMs: 150,
      purgatory: {
        parked: 95,
        maxParked: 100,
        oldest: [{ id: null, type: 'Op', keys: [], more: 0, ageMs: 1, leftMs: -index - 2000 }],
      },
    });
    const worst = verdict(frames(5, both), 'fetch');
    expect(worst.headline).to.equal('Something is wrong: a deadline has passed unanswered');
    expect(worst.warnings.map(({ tone }) => tone)).to.deep.equal(['bad', 'warn', 'warn']);
    expect(worst.detail).to.match(/^An operation of \u2068fetch\u2069 is still parked/);
    expect(warned(5, both, 'another')).to.deep.equal(['warn: the event loop was blocked']);
  });

  it('begins with the seconds that the server kept, on a page that was opened after an incident', () => {
    const told = frames(2, () => ({ purgatory: { parked: 1 } }));
    const ended = (ago: number, host: Partial<HostTime>, more: Partial<Second> = {}): Second => ({
      number: 1,
      wallMs: told[0].wallMs - ago,
      overMs: 1000,
      host: { blockedMs: 2, cpuMs: 20, waitedMs: 0, load: 0.1, ...host },
      purgatories: {},
      timers: {},
      ...more,
    });
    const opened = (...seconds: Second[]): string => verdict(told, undefined, { seconds }).headline;
    expect(opened(ended(500, {}))).to.equal('All is well');
    expect(opened(ended(500, { blockedMs: 4400, cpuMs: 3 }), ended(0, {}))).to.match(
      /^Something is wrong: the server hung for 4\.4\ss$/,
    );
    expect(opened(ended(500, { blockedMs: 1900, cpuMs: 1900 }))).to.equal(
      'Something is wrong: the event loop was blocked',
    );
    expect(opened(ended(11_000, { blockedMs: 1900, cpuMs: 1900 }))).to.equal('All is well');
    expect(opened(ended(500, {}, { timers: { wheels: [100, 128] } }))).to.equal(
      'Have a look: the timer runs late',
    );
    expect(opened(ended(500, {}, { purgatories: { fetch: [1, 0, 0, 0, 3] } }))).to.equal(
      'Have a look: operations throw',
    );
    const refusing = ended(500, {}, { purgatories: { fetch: [1, 0, 0, 0, 0, { refused: { full: 7 } }] } });
    expect(opened(refusing)).to.equal('Have a look: purgatory \u2068fetch\u2069 refuses operations');
  });

  it('counts a hang that the page heard and that the history has as well once, by what the page heard', () => {
    const told = frames(12);
    const { atMs, wallMs } = told[10];
    const host = { blockedMs: 29_900, cpuMs: 3, waitedMs: 0, load: 0.1 };
    const second = { number: 1, wallMs: wallMs + 10, overMs: 30_900, host, purgatories: {}, timers: {} };
    const hang = { forMs: 30_200, atMs, wallMs, host, heldUp: [] };
    const heard = verdict(told, undefined, { seconds: [second], hang });
    expect(heard.headline).to.match(/the server hung for 30\.2\ss$/);
    const hidden = verdict(told, undefined, { seconds: [second], hang: { ...hang, atMs: atMs - 40_000 } });
    expect(hidden.headline).to.match(/the server hung for 29\.9\ss$/);
    expect(hidden.detail).to.match(/^It lasted 29\.9\ss, until \d\d:\d\d:\d\d: the process stood still/);
  });

  it('counts what a purgatory has refused within ten seconds, by code, and says no more that it is nearly full', () => {
    const refused = (full: number) => ({
      purgatory: { parked: 10, maxParked: 10, refused: { full, closed: 1 } },
    });
    const [warning, ...others] = verdict(frames(50, (index) => refused(250 * index))).warnings;
    expect(others).to.deep.equal([]);
    expect(warning.what).to.equal('purgatory \u2068fetch\u2069 refuses operations');
    expect(warning.why).to.equal(
      'Within the last 10 s it has refused 10,000 with \u2068full\u2069. It holds 10 of 10 operations.',
    );
    expect(warned(50, () => refused(250))).to.deep.equal([
      'warn: purgatory \u2068fetch\u2069 is nearly full',
    ]);
  });

  it('tells the last error with its operation, purgatory and age, and a bus by the name that it was given', () => {
    const lastError = { message: 'Error: no', operation: 'Fetch', agoMs: 3000 };
    const threw = verdict(
      frames(50, (index) => ({ purgatory: { lastError, totals: { ...NONE, failed: index } } })),
    );
    expect(threw.detail).to.match(
      /The last error came 3\ss ago, of \u2068Fetch\u2069 in \u2068fetch\u2069: \u2068Error: no\u2069\.$/,
    );
    const bus = (name: string | null) =>
      verdict(frames(1, () => ({ buses: [{ ...CUT_OFF_BUS, name }] }))).warnings.map(({ what }) => what);
    expect(bus('ordersBus')).to.deep.equal(['the bus \u2068ordersBus\u2069 is cut off']);
    expect(bus(null)).to.deep.equal(['the bus of \u2068local\u2069 is cut off']);
    const cutOff = (pendingKeys: number) =>
      verdict(frames(1, () => ({ buses: [{ ...CUT_OFF_BUS, pendingKeys }] }))).detail;
    expect(cutOff(0)).to.contain('do not arrive. Waits fall');
    expect(cutOff(1)).to.contain('do not arrive, and 1 key waits to be sent. Waits fall');
  });
});
