import { expect } from 'chai';
import type { HostTime, Second } from '../../src/inspector/frame.ts';
import { incidentsOf } from '../../src/inspector/page/data/incidents.ts';

function seconds(
  count: number,
  change: (number: number) => Partial<HostTime> & { late?: number | null; failed?: number; full?: number },
): Second[] {
  return Array.from({ length: count }, (_, index) => {
    const { late = 1, failed = 0, full, ...host } = change(index + 1);
    return {
      number: index + 1,
      wallMs: 1_700_000_000_000 + 1000 * index,
      overMs: 1000,
      host: { blockedMs: 2, cpuMs: 20, waitedMs: 0, load: 0.1, ...host },
      purgatories: {
        fetch: [1, 0, 0, 0, failed, full === undefined ? undefined : { full }],
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
    expect(stood.inWords).to.match(/^The process stood still for 31\ss\. The process used no CPU meanwhile/);
  });

  it('are late timers only where the event loop was not late itself', () => {
    expect(told(5, (number) => (number === 3 ? { late: 64 } : {}))).to.deep.equal([['late', 1]]);
    expect(told(5, (number) => (number === 3 ? { late: null } : {}))).to.deep.equal([['late', 1]]);
    expect(told(5, (number) => (number === 3 ? { late: 64, blockedMs: 60 } : {}))).to.deep.equal([]);
  });

  it('are refusals of the chosen purgatory, counted', () => {
    const refusing = seconds(5, (number) => (number === 3 || number === 4 ? { full: 500 * number } : {}));
    expect(incidentsOf(refusing, 'fetch').map(({ inWords }) => inWords)).to.deep.equal([
      '3,500 operations were refused, 2,000 a second at most.',
    ]);
    expect(incidentsOf(refusing, 'jobs')).to.deep.equal([]);
  });

  it('are throws of the chosen purgatory', () => {
    const threw = seconds(5, (number) => ({ failed: number === 3 ? 4 : 0 }));
    expect(incidentsOf(threw, 'fetch').map(({ inWords }) => inWords)).to.deep.equal([
      '4 calls of tryComplete, onComplete or onExpiration threw.',
    ]);
    expect(incidentsOf(threw, 'jobs')).to.deep.equal([]);
  });
});
