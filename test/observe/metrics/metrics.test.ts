import { metrics as globalMetrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { expect } from 'chai';
import { AggregatorRegistry, Counter, Registry } from 'prom-client';
import { LocalHub } from '../../../src/bus/index.ts';
import { ManualClock, Purgatory, SystemTimer } from '../../../src/index.ts';
import { type MetricSources, registerMetrics as register } from '../../../src/observe/metrics/index.ts';
import { IdleTimeouts } from '../../../src/waits/idle/index.ts';
import { Replies } from '../../../src/waits/replies/index.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/index.ts';
import { Rig } from '../../bus/rig.ts';
import { hall, Op } from '../../support/op.ts';
import { rejection } from '../../support/rejection.ts';
import { SlowClock } from '../../support/slow-clock.ts';
import { turn } from '../../support/turns.ts';

/**
 * One operation is parked for good, one completed after 20 ms, one expired after 30 ms, one
 * cancelled at once. The sources are registered before that.
 */
function busyHall(register: (sources: MetricSources) => unknown = () => {}): ReturnType<typeof hall> {
  const h = hall();
  register({ purgatories: [h.purgatory], timers: { wheels: h.timer } });
  h.park('stays', ['k', 'l']);
  const completes = h.park('completes', ['k'], { delayMs: 100 });
  h.park('expires', ['m'], { delayMs: 30 });
  h.park('cancelled', ['m'], { delayMs: 30 }).cancel();
  h.clock.advance(20);
  completes.forceComplete();
  h.clock.advance(30);
  return h;
}

const stops: (() => void)[] = [];

/** As `register`; afterwards no metric is left, and nobody listens. */
function registerMetrics(...args: Parameters<typeof register>): () => void {
  const stop = register(...args);
  stops.push(stop);
  return stop;
}

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

describe('registerMetrics in a Registry of prom-client', () => {
  it('tells counts by their labels, times parked and lateness as cumulated histograms in seconds', async () => {
    const registry = new Registry();
    busyHall((sources) => registerMetrics(registry, sources));
    registry.resetMetrics(); // the counts are those of the sources
    expect((await registry.metrics()).split('\n')).to.include.members([
      '# TYPE purgatory_parked_operations gauge',
      'purgatory_parked_operations{purgatory="test"} 1',
      'purgatory_watches{purgatory="test"} 2',
      'purgatory_watched_keys{purgatory="test"} 2',
      '# TYPE purgatory_parked_total counter',
      'purgatory_parked_total{purgatory="test"} 4',
      'purgatory_completed_early_total{purgatory="test"} 1',
      'purgatory_expired_total{purgatory="test"} 1',
      'purgatory_cancelled_total{purgatory="test"} 1',
      'purgatory_failures_total{purgatory="test"} 0',
      'purgatory_timer_pending_tasks{timer="wheels"} 0',
      'purgatory_timer_tasks_run_total{timer="wheels"} 1',
      '# TYPE purgatory_time_parked_seconds histogram',
      'purgatory_time_parked_seconds_bucket{purgatory="test",le="0.016"} 1',
      'purgatory_time_parked_seconds_bucket{purgatory="test",le="0.032"} 3',
      'purgatory_time_parked_seconds_bucket{purgatory="test",le="+Inf"} 3',
      'purgatory_time_parked_seconds_sum{purgatory="test"} 0.05',
      'purgatory_time_parked_seconds_count{purgatory="test"} 3',
      'purgatory_reaper_lateness_seconds_bucket{timer="wheels",le="0.001"} 1',
      'purgatory_reaper_lateness_seconds_count{timer="wheels"} 1',
    ]);
  });

  it('tells maxParked, what was refused by its code, and the values that are kept, where there are such', async () => {
    using full = new Purgatory('full', { maxParked: 1 });
    using offsets = new ThresholdPurgatory('offsets');
    for (const key of ['a', 'b']) offsets.advance(key, 1);
    for (let i = 0; i < 3; i++) full.waitFor(['k'], () => undefined, { timeoutMs: 50 }).catch(() => {});
    const registry = new Registry();
    registerMetrics(registry, { purgatories: [full, offsets] });
    const lines = (await registry.metrics()).split('\n');
    expect(
      lines.filter((line) => /^purgatory_(max_parked|refused_total|kept_values){/.test(line)),
    ).to.deep.equal([
      'purgatory_max_parked{purgatory="full"} 1',
      'purgatory_kept_values{purgatory="offsets"} 2',
      'purgatory_refused_total{purgatory="full",code="ERR_PURGATORY_FULL"} 2',
      'purgatory_refused_total{purgatory="offsets",code="ERR_PURGATORY_FULL"} 0',
    ]);
  });

  it('tells of Replies what it tells of purgatories, and of IdleTimeouts no ages and no times parked', async () => {
    const clock = new ManualClock();
    const calls = new Replies<number, string>('calls', { clock });
    const idle = new IdleTimeouts<string>('idle', { timeoutMs: Infinity, clock });
    const registry = new Registry();
    registerMetrics(registry, { purgatories: [calls, idle] });
    idle.touch('ann');
    idle.hold('bea');
    for (const id of [1, 2, 3, 4, 5]) calls.expect(id, { timeoutMs: Infinity }).catch(() => {});
    const answered = [6, 7].map((id) => calls.expect(id, { timeoutMs: 1_000 }));
    clock.advance(50);
    calls.resolve(6, 'yes');
    await answered[0];
    const text = await registry.metrics();
    const values = (name: string): string[] => text.match(new RegExp(`^purgatory_${name}{.*`, 'gm')) ?? [];
    expect(values('operations_without_deadline')).to.deep.equal([
      'purgatory_operations_without_deadline{purgatory="calls"} 5',
    ]);
    expect(values('oldest_operation_seconds')).to.deep.equal([
      'purgatory_oldest_operation_seconds{purgatory="calls"} 0.05',
    ]);
    expect(values('time_parked_seconds_count')).to.deep.equal([
      'purgatory_time_parked_seconds_count{purgatory="calls"} 1',
    ]);
    expect(values('time_parked_seconds_sum')[0]).to.match(/ 0\.05$/);
    expect(values('elements_held')).to.deep.equal(['purgatory_elements_held{purgatory="idle"} 1']);
    for (const each of [calls, idle]) each.close();
    await rejection(answered[1]);
  });

  it('tells the counts of buses, their gaps by cause, and their echo', async () => {
    const rig = new Rig();
    const [a, b, closed] = [rig.process(), rig.process(), rig.process()];
    const registry = new Registry();
    registerMetrics(registry, { buses: () => ({ main: a.bus, other: b.bus, closed: closed.bus }) });
    await closed.bus.close();
    b.listener.watched = false;
    a.publish('1');
    a.publish('1');
    rig.clock.advance(1);
    rig.hub.cut(a.bus);
    rig.clock.advance(2_500);
    const lines = (await registry.metrics()).split('\n');
    expect(lines).to.include.members([
      '# TYPE purgatory_bus_live gauge',
      'purgatory_bus_live{bus="main"} 0',
      'purgatory_bus_live{bus="other"} 1',
      'purgatory_bus_published_total{bus="main"} 2',
      'purgatory_bus_merged_total{bus="main"} 1',
      'purgatory_bus_routed_total{bus="main"} 0',
      'purgatory_bus_subscriptions{bus="main"} 0',
      'purgatory_bus_acknowledgements_pending{bus="main"} 0',
      'purgatory_bus_received_total{bus="other"} 1',
      'purgatory_bus_for_nobody_total{bus="other"} 1',
      'purgatory_bus_gaps_total{bus="main",cause="connection"} 1',
      'purgatory_bus_gaps_total{bus="main",cause="echo"} 0',
      'purgatory_bus_gap_time_seconds_total{bus="main",cause="connection"} 2.5',
      '# TYPE purgatory_bus_echo_seconds histogram',
      'purgatory_bus_echo_seconds_count{bus="main"} 1',
    ]);
    expect(lines.filter((line) => line.includes('closed'))).to.deep.equal([]);
  });

  it('speaks OpenMetrics where the registry does', async () => {
    const { purgatory } = busyHall();
    const registry = new Registry();
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
    registerMetrics(registry, { purgatories: [purgatory] });
    const text = await registry.metrics();
    expect(text).to.contain('# TYPE purgatory_expired counter\npurgatory_expired_total{purgatory="test"} 1');
  });

  it('leaves no metric behind when one of its names is taken', () => {
    const registry = new Registry();
    new Counter({ name: 'purgatory_expired_total', help: 'taken', registers: [registry] });
    expect(() => registerMetrics(registry, {})).to.throw(
      'purgatory_expired_total has already been registered',
    );
    expect(registry.getMetricsAsArray().map(({ name }) => name)).to.deep.equal(['purgatory_expired_total']);
  });

  it('counts the times parked of a purgatory from the moment it is among the sources, its closing included', async () => {
    const purgatories = new Set<Purgatory<string, Op>>();
    const registry = new Registry();
    const stop = registerMetrics(registry, { purgatories });
    const late = new Purgatory<string, Op>('late');
    purgatories.add(late);
    const op = new Op('a');
    late.tryCompleteElseWatch(op, ['k']);
    op.forceComplete();
    const counted = () => registry.getSingleMetricAsString('purgatory_time_parked_seconds');
    expect(await counted()).to.include('purgatory_time_parked_seconds_count{purgatory="late"} 1');
    late.close();
    expect(await counted()).not.to.include('late');
    const again = new Purgatory<string, Op>('late');
    purgatories.add(again);
    expect(await counted()).to.include('purgatory_time_parked_seconds_count{purgatory="late"} 0');
    again.close();
    stop();
  });

  it('measures the timers of its purgatories, once each and by their names, and those that are given by theirs', async () => {
    const shared = new SystemTimer();
    const own = new SystemTimer();
    const registry = new Registry();
    registerMetrics(registry, {
      purgatories: [
        { name: 'a', timer: shared, snapshot: () => hall().purgatory.snapshot() },
        { name: 'b', timer: shared, snapshot: () => hall().purgatory.snapshot() },
        { name: 'c', timer: own, snapshot: () => hall().purgatory.snapshot() },
        { name: 'd', timer: {}, snapshot: () => hall().purgatory.snapshot() },
      ],
      timers: { c: shared },
    });
    const pending = await registry.getSingleMetricAsString('purgatory_timer_pending_tasks');
    expect(pending.match(/timer="[^"]*"/g)).to.deep.equal(['timer="c"', 'timer="purgatory c"']);
  });

  it('is taken out again by what it returns', () => {
    const registry = new Registry();
    registerMetrics(registry, { purgatories: [hall().purgatory] })();
    expect(registry.getMetricsAsArray()).to.deep.equal([]);
  });
});

/** A purgatory on one of whose keys an event has been under way for 2 s, while another key waits. */
async function eventUnderWay(): Promise<Purgatory<unknown, Op>> {
  const { clock, purgatory, park } = hall({ sliceMs: 5 }, new SlowClock());
  let isParked = false;
  for (let i = 0; i < 200; i++) park(`${i}`, ['k'], { onTry: () => isParked && clock.advance(20) });
  isParked = true;
  park('other', ['l']);
  purgatory.notify('k');
  await turn();
  purgatory.notify('l');
  clock.advance(2_000);
  return purgatory;
}

describe('The metrics of events', () => {
  it('tell what waits and what is under way, and for how long', async () => {
    const purgatory = await eventUnderWay();
    const { oldestMs } = purgatory.snapshot().events;
    const registry = new Registry();
    registerMetrics(registry, { purgatories: [purgatory] });
    const text = await registry.metrics();
    expect(oldestMs).to.be.at.least(2_000);
    expect(text).to.contain('\npurgatory_pending_keys{purgatory="test"} 1\n');
    expect(text).to.contain('# TYPE purgatory_oldest_event_seconds gauge\n');
    expect(text).to.contain(`\npurgatory_oldest_event_seconds{purgatory="test"} ${oldestMs / 1_000}\n`);
    await purgatory.served();
    const longest = purgatory.snapshot().events.longestPassMs / 1_000;
    const after = await registry.metrics();
    expect(longest).to.be.at.least(4);
    expect(after).to.contain(`\npurgatory_longest_pass_seconds{purgatory="test"} ${longest}\n`);
    expect(after).to.contain('\npurgatory_oldest_event_seconds{purgatory="test"} 0\n');
  });
});

describe('The metrics of the workers of a cluster', () => {
  it('are the worst of them, or the sum: a sum would hide the one that is cut off', async () => {
    const hub = new LocalHub();
    const workers = [3_000, 5_000].map((parkedMs) => {
      const { clock, purgatory, park } = hall();
      park('a', ['k'], { delayMs: 60_000 });
      clock.advance(parkedMs);
      const bus = hub.bus();
      const registry = new Registry();
      registerMetrics(registry, { purgatories: [purgatory], buses: { bus } });
      return { bus, registry };
    });
    const both = async (): Promise<string> => {
      const read = await Promise.all(workers.map(({ registry }) => registry.getMetricsAsJSON()));
      return AggregatorRegistry.aggregate(read).metrics();
    };
    expect(await both()).to.contain('\npurgatory_bus_live{bus="bus"} 1\n');
    hub.cut(workers[1].bus);
    expect((await both()).split('\n')).to.include.members([
      'purgatory_bus_live{bus="bus"} 0',
      'purgatory_bus_peers{bus="bus"} 0',
      'purgatory_oldest_operation_seconds{purgatory="test"} 5',
      'purgatory_parked_operations{purgatory="test"} 2',
    ]);
    await Promise.all(workers.map(({ bus }) => bus.close()));
  });
});

describe('registerMetrics in a Meter of OpenTelemetry', () => {
  it('refuses a meter that has the metrics already, until they are removed', () => {
    const meter = new MeterProvider().getMeter('test');
    const stop = registerMetrics(meter, {});
    expect(() => registerMetrics(meter, {}))
      .to.throw(TypeError, 'register all sources in one call')
      .with.property('code', 'ERR_INVALID_ARG_VALUE');
    stop();
    registerMetrics(meter, {})();
  });

  it('takes the meter that records nothing as often as it comes, since others may have it too', () => {
    const [ours, theirs] = [globalMetrics.getMeter('ours'), globalMetrics.getMeter('theirs')];
    expect(ours).to.equal(theirs);
    registerMetrics(ours, {});
    registerMetrics(theirs, {});
  });

  it('removes only what it has registered, called twice', async () => {
    const meter = new MeterProvider().getMeter('test');
    const registry = new Registry();
    for (const into of [meter, registry]) {
      const stop = registerMetrics(into, {});
      stop();
      registerMetrics(into, {});
      stop();
      expect(() => registerMetrics(into, {})).to.throw();
    }
  });

  async function collect(
    register: (meter: Parameters<typeof registerMetrics>[0]) => void,
  ): Promise<Map<string, { unit: string; points: unknown[] }>> {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 });
    const provider = new MeterProvider({ readers: [reader] });
    register(provider.getMeter('test'));
    await reader.forceFlush();
    const metrics = exporter.getMetrics().flatMap((resource) => resource.scopeMetrics[0]?.metrics ?? []);
    await provider.shutdown();
    return new Map(
      metrics.map(({ descriptor, dataPoints }) => [
        descriptor.name,
        {
          unit: descriptor.unit,
          points: dataPoints.map(({ attributes, value }) => [attributes, value]),
        },
      ]),
    );
  }

  /** The only point of a histogram. */
  function only(
    metrics: Awaited<ReturnType<typeof collect>>,
    name: string,
  ): { attributes: unknown; count: number; sum: number } {
    const points = metrics.get(name)?.points as [unknown, { count: number; sum: number }][];
    expect(points).to.have.lengthOf(1);
    const [[attributes, { count, sum }]] = points;
    return { attributes, count, sum };
  }

  it('tells counts, with units, by their attributes', async () => {
    const { purgatory, timer } = busyHall();
    const metrics = await collect((meter) => {
      registerMetrics(meter, { purgatories: [purgatory], timers: { wheels: timer } });
    });
    const underWay = await eventUnderWay();
    const events = await collect((meter) => void registerMetrics(meter, { purgatories: [underWay] }));
    const { unit, points } = events.get('purgatory.oldest_event') ?? {};
    const [[attributes, ageS]] = points as [unknown, number][];
    expect([unit, attributes]).to.deep.equal(['s', { purgatory: 'test' }]);
    expect(ageS).to.be.within(2, 6);
    expect(metrics.get('purgatory.parked_operations')).to.deep.equal({
      unit: '{operation}',
      points: [[{ purgatory: 'test' }, 1]],
    });
    expect(metrics.get('purgatory.expired')?.points).to.deep.equal([[{ purgatory: 'test' }, 1]]);
    expect(metrics.get('purgatory.timer.tasks_run')?.points).to.deep.equal([[{ timer: 'wheels' }, 1]]);
  });

  it('records times parked and lateness in seconds, nothing of others, and nothing after it was stopped', async () => {
    const metrics = await collect((meter) => {
      let stop = (): void => {};
      const { purgatory } = busyHall((sources) => {
        stop = registerMetrics(meter, sources);
      });
      busyHall();
      stop();
      purgatory.cancelForKey('k');
    });
    expect(metrics.has('purgatory.parked_operations')).to.equal(false);
    const parked = only(metrics, 'purgatory.time_parked');
    expect(parked).to.deep.include({ attributes: { purgatory: 'test' }, count: 3 });
    expect(parked.sum).to.be.closeTo(0.05, 1e-9);
    const lateness = only(metrics, 'purgatory.reaper_lateness');
    expect(lateness).to.deep.equal({ attributes: { timer: 'wheels' }, count: 1, sum: 0 });
  });

  it('tells buses by their attributes, gaps by cause, and records echoes', async () => {
    const rig = new Rig({ delayMs: 10 });
    let stop = (): void => {};
    const metrics = await collect((meter) => {
      const { bus } = rig.process();
      stop = registerMetrics(meter, { buses: { main: bus } });
      rig.clock.advance(100);
      rig.hub.cut(bus);
    });
    stop();
    const attributes = { bus: 'main', cause: 'connection' };
    expect(metrics.get('purgatory.bus.gaps')?.points).to.deep.include([attributes, 1]);
    expect(metrics.get('purgatory.bus.live')?.points).to.deep.equal([[{ bus: 'main' }, 0]]);
    const echoes = metrics.get('purgatory.bus.echo')?.points ?? [];
    const [[echoOf, { sum }]] = echoes as [unknown, { sum: number }][];
    expect([echoOf, sum]).to.deep.equal([{ bus: 'main' }, 0.02]);
  });

  it('records what comes later too', async () => {
    const purgatories = new Set<Purgatory>();
    const metrics = await collect((meter) => {
      registerMetrics(meter, { purgatories });
      const { purgatory, park } = hall();
      purgatories.add(purgatory as Purgatory);
      park('a', ['k']).forceComplete();
    });
    expect(metrics.get('purgatory.parked_operations')?.points).to.deep.equal([[{ purgatory: 'test' }, 0]]);
    expect(only(metrics, 'purgatory.time_parked').count).to.equal(1);
  });
});

describe('registerMetrics refuses', () => {
  const { purgatory } = hall();
  // The inspector checks its sources by the same rules: test/engines/observe/inspector.
  const refusals: [string, unknown, unknown, string][] = [
    ['what is neither a registry nor a meter', {}, {}, 'ERR_INVALID_ARG_TYPE'],
    ['no registry', undefined, {}, 'ERR_INVALID_ARG_TYPE'],
    ['no sources', new Registry(), undefined, 'ERR_INVALID_ARG_TYPE'],
    ['a purgatory in place of sources', new Registry(), purgatory, 'ERR_INVALID_ARG_TYPE'],
    ['a purgatory without a snapshot', new Registry(), { purgatories: [{}] }, 'ERR_INVALID_ARG_TYPE'],
    ['sources that there are not', new Registry(), { purgatory }, 'ERR_INVALID_ARG_VALUE'],
    [
      'two of one name',
      new Registry(),
      { purgatories: [purgatory, hall().purgatory] },
      'ERR_INVALID_ARG_VALUE',
    ],
  ];
  for (const [what, registry, sources, code] of refusals) {
    it(what, () => {
      expect(() => registerMetrics(registry as Registry, sources as MetricSources))
        .to.throw(TypeError)
        .with.property('code', code);
    });
  }
});
