import { expect } from 'chai';
import type { HostTime, RareInSecond, Second } from '../../../src/observe/inspector/frame.ts';
import { incidentsOf } from '../../../src/observe/inspector/page/data/incidents.ts';

function seconds(
  count: number,
  change: (number: number) => Partial<HostTime> & { late?: number | null; failed?: number } & RareInSecond,
): Second[] {
  return Array.from({ length: count }, (_, index) => {
    const { late = 1, failed = 0, refused, pass, ...host } = change(index + 1);
    return {
      number: index + 1,
      wallMs: 1_700_000_000_000 + 1000 * index,
      overMs: 1000,
      host: { blockedMs: 2, cpuMs: 20, waitedMs: 0, load: 0.1, ...host },
      purgatories: {
        fetch: [1, 0, 0, 0, failed, { ...(refused && { refused }), ...(pass && { pass }) }],
        jobs: [0, 0, 0, 0, 0],
      },
      timers: { wheels: [10, late] },
    };
  });
}

const told = (...args: Parameters<typeof seconds>) =>
  incidentsOf(seconds(...args), undefined).map(({ what, fromMs, untilMs }) => [
    what,
    (untilMs - fromMs) / 1000,
  ]);

describe('the incidents that the inspector tells', () => {
  it('are none where nothing was wrong', () => {
    expect(told(600, () => ({}))).to.deep.equal([]);
    expect(incidentsOf([], undefined)).to.deep.equal([]);
  });

  it('are the latest first, each from its beginning to its end, good seconds between them aside', () => {
    const blocked = [100, 101, 105, 109, 200];
    expect(told(300, (number) => (blocked.includes(number) ? { blockedMs: 150 } : {}))).to.deep.equal([
      ['blocked', 1],
      ['blocked', 10],
    ]);
  });

  it('have one that goes on before those that began after it and are over', () => {
    const failing = (number: number) => ({ failed: 1, blockedMs: number === 50 ? 150 : 2 });
    expect(told(100, failing)).to.deep.equal([
      ['threw', 100],
      ['blocked', 1],
    ]);
  });

  it('tell a process that stood still from one that was blocked, and give the cause', () => {
    const [stood] = incidentsOf(
      seconds(5, (number) => (number === 3 ? { blockedMs: 31_000, cpuMs: 2 } : {})),
      undefined,
    );
    expect(stood.what).to.equal('stood still');
    // As the verdict, which calls a block of two seconds a hang.
    expect(told(5, (number) => (number === 3 ? { blockedMs: 2000 } : {}))).to.deep.equal([
      ['stood still', 1],
    ]);
    expect(told(5, (number) => (number === 3 ? { blockedMs: 1999 } : {}))).to.deep.equal([['blocked', 1]]);
    expect(stood.inWords).to.match(/^The process stood still for 31\ss\. The process used no CPU meanwhile/);
  });

  it('are late timers only where the event loop was not late itself', () => {
    expect(told(5, (number) => (number === 3 ? { late: 64 } : {}))).to.deep.equal([['late', 1]]);
    expect(told(5, (number) => (number === 3 ? { late: null } : {}))).to.deep.equal([['late', 1]]);
    expect(told(5, (number) => (number === 3 ? { late: 64, blockedMs: 60 } : {}))).to.deep.equal([]);
  });

  it('are refusals of the chosen purgatory, counted', () => {
    const refusing = seconds(5, (number) =>
      number === 3 || number === 4 ? { refused: { full: 500 * number } } : {},
    );
    expect(incidentsOf(refusing, 'fetch').map(({ inWords }) => inWords)).to.deep.equal([
      '3,500 operations were refused, 2,000 a second at most.',
    ]);
    expect(incidentsOf(refusing, 'jobs')).to.deep.equal([]);
  });

  it('are events of the chosen purgatory that took more than half a second, by their key', () => {
    const pass = (ageMs: number, tried: number) => ({
      pass: { key: 'orders-0', watchers: 100_000, tried, ageMs, passes: 1 },
    });
    expect(told(5, () => pass(500, 1))).to.deep.equal([]);
    const long = seconds(5, (number) => (number < 3 ? pass(600 * number, 30_000 * number) : {}));
    expect(incidentsOf(long, 'fetch').map(({ what, inWords }) => [what, inWords])).to.deep.equal([
      [
        'long event',
        'An event took long: on \u2068orders-0\u2069, 60,000 of 100,000 tried after 1.2\u00a0s.',
      ],
    ]);
    expect(incidentsOf(long, 'jobs')).to.deep.equal([]);
  });

  it('tell which event could not go on while the event loop was blocked, and how many others', () => {
    const blocked = (ageMs: number, passes: number) =>
      seconds(5, (number) =>
        number === 3
          ? { blockedMs: 480, cpuMs: 480, pass: { key: 'k', watchers: 900, tried: 48, ageMs, passes } }
          : {},
      );
    const inWords = (...given: Parameters<typeof blocked>) =>
      incidentsOf(blocked(...given), 'fetch')[0].inWords;
    expect(inWords(490, 1)).to.match(
      /spins on microtasks\. The event on \u2068k\u2069 in \u2068fetch\u2069 could not go on meanwhile \(48 of 900 tried\)\.$/,
    );
    expect(inWords(490, 3)).to.match(/\(48 of 900 tried\), nor could 2 others\.$/);
    expect(inWords(470, 1)).to.not.contain('could not go on'); // it began after the block
    expect(incidentsOf(blocked(490, 1), 'jobs')[0].inWords).to.not.contain('could not go on');
  });

  it('are throws of the chosen purgatory', () => {
    const threw = seconds(5, (number) => ({ failed: number === 3 ? 4 : 0 }));
    expect(incidentsOf(threw, 'fetch').map(({ inWords }) => inWords)).to.deep.equal([
      '4 calls of tryComplete, onComplete or onExpiration threw.',
    ]);
    expect(incidentsOf(threw, 'jobs')).to.deep.equal([]);
  });
});
