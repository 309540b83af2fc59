// The alerts of docs/grafana, as Prometheus' own promtool runs them: each fires in one case, and is
// silent in another that looks like it.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { describeWith, type Need } from '../../../support/needs.ts';

const RULES = fileURLToPath(new URL('../../../../docs/grafana/alerts.yml', import.meta.url));

/** What a minute adds to a series, or its values, in the notation of promtool. */
type Series = Readonly<Record<string, string>>;

const of = (labels: string, series: Readonly<Record<string, string | number>>): Series =>
  Object.fromEntries(
    Object.entries(series).map(([name, each]) => [
      `purgatory_${name}{instance="a",${labels}}`,
      typeof each === 'number' ? `0+${each}x120` : each,
    ]),
  );
/** Series of a purgatory: each grows by a number a minute, or has these values. */
const P = (series: Parameters<typeof of>[1]): Series => of('purgatory="fetch"', series);
/** Series of a bus. */
const B = (series: Parameters<typeof of>[1]): Series => of('bus="orders"', series);
const steady = (value: number): string => `${value}+0x120`;

/** Tasks of which a part runs within 1 ms, the rest within 1 s. */
const lateness = (quick: number): Series => {
  const bucket = (le: string, by: number): Series =>
    of(`timer="main",le="${le}"`, { reaper_lateness_seconds_bucket: by });
  return { ...bucket('0.001', quick), ...bucket('1.024', 100), ...bucket('+Inf', 100) };
};

/** A purgatory that grows by 100 a minute, while so many are completed. */
const completing = (completed: number): Series =>
  P({
    ...{ parked_operations: 100, completed_early_total: completed },
    ...{ expired_total: 0, cancelled_total: 0, rejected_total: 0 },
  });
const held = (parked: number): Series =>
  P({ permit_held_longest_seconds: 60, parked_operations: steady(parked) });
const stored = (items: number, delayed: number): Series =>
  P({ items: steady(items), items_delayed: steady(delayed), max_items: steady(100) });
const waitsForUnit = (parked: number): Series =>
  P({ oldest_operation_seconds: 60, parked_operations: steady(parked), units_held: steady(1) });
const gaps = (count: string | number, cause = 'echo'): Series =>
  of(`bus="orders",cause="${cause}"`, { bus_gaps_total: count });
const refused = (count: string | number): Series =>
  of('purgatory="fetch",code="ERR_PURGATORY_FULL"', { refused_total: count });
const forNobody = (count: number): Series => B({ bus_for_nobody_total: count, bus_received_total: 12_000 });
const expiring = (completed: number): Series => P({ expired_total: 6000, completed_early_total: completed });
const leaks = '0+5x200';
const bursts = '500+0x60 0+500x1 500+0x140';

/** By the alert: the minute at which it is asked, when it fires, and when it is silent. */
const CASES: Readonly<Record<string, readonly [at: number, fires: Series, silent: Series]>> = {
  PurgatoryReaperLate: [15, lateness(90), lateness(100)],
  PurgatoryGrowsWithoutCompleting: [30, completing(90), completing(6000)],
  // Ten thousand short waits a minute come and go besides.
  PurgatoryLeaks: [
    120,
    P({ operations_without_deadline: leaks, parked_operations: steady(9000) }),
    P({ operations_without_deadline: bursts }),
  ],
  PurgatoryConditionsHang: [5, P({ oldest_try_seconds: 60 }), P({ oldest_try_seconds: steady(2) })],
  PurgatoryRejects: [15, P({ rejected_total: 1 }), P({ rejected_total: steady(40) })],
  PurgatoryPermitHeld: [15, held(3), held(0)],
  PurgatoryWaitsForUnits: [5, waitsForUnit(50), waitsForUnit(2)],
  PurgatoryBacklog: [
    15,
    P({ items: 6000, items_taken_total: 60 }),
    P({ items: steady(50), items_taken_total: 6000 }),
  ],
  PurgatoryLeasesLapse: [15, P({ leases_lapsed_total: 1 }), P({ leases_lapsed_total: steady(9) })],
  PurgatoryItemsExpire: [15, P({ items_expired_total: 1 }), P({ items_expired_total: steady(9) })],
  PurgatoryQueuesFull: [5, stored(60, 39), stored(60, 3)],
  PurgatoryMostlyExpires: [30, expiring(6), expiring(6000)],
  PurgatoryEventTakesLong: [
    5,
    P({ oldest_event_seconds: steady(3) }),
    P({ oldest_event_seconds: '3 0 3 0 3 0 3 0 3 0 3' }),
  ],
  PurgatoryUserCodeThrows: [10, P({ failures_total: 1 }), P({ failures_total: steady(40) })],
  PurgatoryBusInGap: [5, B({ bus_live: steady(0) }), B({ bus_live: steady(1) })],
  PurgatoryBusGapsOften: [20, gaps(1), gaps('0+0x10 1+0x20')],
  PurgatoryBusInDoubt: [5, B({ bus_in_doubt: steady(1) }), B({ bus_in_doubt: steady(0) })],
  PurgatoryBusPublishRefused: [20, gaps('0+0x10 1+0x20', 'publish'), gaps('0+0x10 1+0x20')],
  PurgatoryLoadsFail: [
    15,
    P({ loads_failed_total: 50, loads_total: 100 }),
    P({ loads_failed_total: 5, loads_total: 100 }),
  ],
  PurgatoryLoadsHang: [5, P({ oldest_load_seconds: 60 }), P({ oldest_load_seconds: '1 _ 2 _ 1 _ 3 _' })],
  PurgatoryHintsForNobody: [45, forNobody(11_990), forNobody(6000)],
  PurgatoryRefuses: [15, refused(9), refused(steady(9))],
};

const promtool: Need = {
  needs: 'promtool, of the package prometheus',
  isThere: () => spawnSync('promtool', ['--version']).error === undefined,
};

describeWith(promtool, 'The alerts of docs/grafana/alerts.yml', () => {
  it('are sound to promtool, and each has a case here', () => {
    execFileSync('promtool', ['check', 'rules', RULES], { stdio: 'pipe' });
    const alerts = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    expect(Object.keys(CASES)).to.have.members(alerts);
  });

  it('fire in their case each, and are silent in the other', () => {
    const tests = Object.entries(CASES).flatMap(([alert, [at, fires, silent]]) => [
      test(alert, fires, at, [{ labels: '{}', value: 1 }]),
      test(alert, silent, at, []),
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'purgatory-alerts-'));
    try {
      const file = join(folder, 'alerts.json'); // JSON is YAML, too
      writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
      expect(status, stdout + stderr).to.equal(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  const test = (alert: string, series: Series, at: number, exp_samples: object[]): object => ({
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
        eval_time: `${at}m`,
        exp_samples,
      },
    ],
  });
});
