// The alerts of docs/grafana, as Prometheus' own promtool runs them: each fires in one case, and is
// silent in another that looks like it.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { describeWith, type Need } from '../../support/needs.ts';

const RULES = fileURLToPath(new URL('../../../docs/grafana/alerts.yml', import.meta.url));

/** What a minute adds to a series, or its values, in the notation of promtool. */
type Series = Readonly<Record<string, string>>;

interface Case {
  readonly fires: Series;
  readonly silent: Series;
  /** The minute at which it is asked. */
  readonly at: number;
}

const P = '{instance="a",purgatory="fetch"}';
const B = '{instance="a",bus="orders"}';
const of = (labels: string, series: Series): Series =>
  Object.fromEntries(Object.entries(series).map(([name, values]) => [`${name}${labels}`, values]));
const steady = (value: number): string => `${value}+0x120`;
const growing = (by: number): string => `0+${by}x120`;

/** Tasks of which a part runs within 1 ms, the rest within 1 s. */
const lateness = (quick: number): Series => {
  const bucket = (le: string, by: number): Series => ({
    [`purgatory_reaper_lateness_seconds_bucket{instance="a",timer="main",le="${le}"}`]: growing(by),
  });
  return { ...bucket('0.001', quick), ...bucket('1.024', 100), ...bucket('+Inf', 100) };
};

const leaving = (completed: number): Series => ({
  purgatory_completed_early_total: growing(completed),
  purgatory_expired_total: growing(0),
  purgatory_cancelled_total: growing(0),
  purgatory_rejected_total: growing(0),
});

const CASES: Readonly<Record<string, Case>> = {
  PurgatoryReaperLate: { fires: lateness(90), silent: lateness(100), at: 15 },
  PurgatoryGrowsWithoutCompleting: {
    fires: of(P, { purgatory_parked_operations: growing(100), ...leaving(90) }),
    silent: of(P, { purgatory_parked_operations: growing(100), ...leaving(6000) }),
    at: 30,
  },
  PurgatoryLeaks: {
    // Ten thousand short waits a minute come and go besides.
    fires: of(P, {
      purgatory_operations_without_deadline: '0+5x200',
      purgatory_parked_operations: steady(9000),
    }),
    silent: of(P, { purgatory_operations_without_deadline: '500+0x60 0+500x1 500+0x140' }),
    at: 120,
  },
  PurgatoryConditionsHang: {
    fires: of(P, { purgatory_oldest_try_seconds: growing(60) }),
    silent: of(P, { purgatory_oldest_try_seconds: steady(2) }),
    at: 5,
  },
  PurgatoryRejects: {
    fires: of(P, { purgatory_rejected_total: growing(1) }),
    silent: of(P, { purgatory_rejected_total: steady(40) }),
    at: 15,
  },
  PurgatoryPermitHeld: {
    fires: of(P, {
      purgatory_permit_held_longest_seconds: growing(60),
      purgatory_parked_operations: steady(3),
    }),
    silent: of(P, {
      purgatory_permit_held_longest_seconds: growing(60),
      purgatory_parked_operations: steady(0),
    }),
    at: 15,
  },
  PurgatoryMostlyExpires: {
    fires: of(P, { purgatory_expired_total: growing(6000), purgatory_completed_early_total: growing(6) }),
    silent: of(P, { purgatory_expired_total: growing(6000), purgatory_completed_early_total: growing(6000) }),
    at: 30,
  },
  PurgatoryEventTakesLong: {
    fires: of(P, { purgatory_oldest_event_seconds: steady(3) }),
    silent: of(P, { purgatory_oldest_event_seconds: '3 0 3 0 3 0 3 0 3 0 3' }),
    at: 5,
  },
  PurgatoryUserCodeThrows: {
    fires: of(P, { purgatory_failures_total: growing(1) }),
    silent: of(P, { purgatory_failures_total: steady(40) }),
    at: 10,
  },
  PurgatoryBusInGap: {
    fires: of(B, { purgatory_bus_live: steady(0) }),
    silent: of(B, { purgatory_bus_live: steady(1) }),
    at: 5,
  },
  PurgatoryBusGapsOften: {
    fires: { 'purgatory_bus_gaps_total{instance="a",bus="orders",cause="echo"}': growing(1) },
    silent: { 'purgatory_bus_gaps_total{instance="a",bus="orders",cause="echo"}': '0+0x10 1+0x20' },
    at: 20,
  },
  PurgatoryLoadsFail: {
    fires: of(P, { purgatory_loads_failed_total: growing(50), purgatory_loads_total: growing(100) }),
    silent: of(P, { purgatory_loads_failed_total: growing(5), purgatory_loads_total: growing(100) }),
    at: 15,
  },
  PurgatoryLoadsHang: {
    fires: of(P, { purgatory_oldest_load_seconds: growing(60) }),
    silent: of(P, { purgatory_oldest_load_seconds: '1 _ 2 _ 1 _ 3 _' }),
    at: 5,
  },
  PurgatoryHintsForNobody: {
    fires: of(B, {
      purgatory_bus_for_nobody_total: growing(11_990),
      purgatory_bus_received_total: growing(12_000),
    }),
    silent: of(B, {
      purgatory_bus_for_nobody_total: growing(6000),
      purgatory_bus_received_total: growing(12_000),
    }),
    at: 45,
  },
  PurgatoryRefuses: {
    fires: {
      'purgatory_refused_total{instance="a",purgatory="fetch",code="ERR_PURGATORY_FULL"}': growing(9),
    },
    silent: {
      'purgatory_refused_total{instance="a",purgatory="fetch",code="ERR_PURGATORY_FULL"}': steady(9),
    },
    at: 15,
  },
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
    const tests = Object.entries(CASES).flatMap(([alert, { fires, silent, at }]) => [
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
