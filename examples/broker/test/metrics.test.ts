import { expect } from 'chai';
import { makeBatch } from './support/batches.ts';
import { brokerOfEachTest } from './support/running-broker.ts';
import { until } from './support/turns.ts';

describe('GET /metrics', () => {
  const broker = brokerOfEachTest({}, 't');
  const scrape = (method = 'GET') => fetch(`http://127.0.0.1:${broker.http}/metrics`, { method });

  /** Samples by name and labels, as they stand in the text. */
  async function samples(): Promise<Map<string, number>> {
    const lines = (await (await scrape()).text()).split('\n');
    return new Map(
      lines
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => line.split(/ (?=[^ ]+$)/))
        .map(([name, value]): [string, number] => [name, Number(value)]),
    );
  }

  const parkFetch = (maxWaitMs: number) => broker.client.fetch('t', 0, 0, { maxWaitMs });

  it('tells of each purgatory what waits, and how it left', async () => {
    const before = await samples();
    for (const purgatory of ['fetch', 'produce', 'join', 'heartbeat'])
      expect(before.get(`purgatory_parked_operations{purgatory="${purgatory}"}`)).to.equal(0);

    await parkFetch(60);
    const parked = parkFetch(3_600_000);
    await broker.untilParked('fetch', 1);
    const during = await samples();
    const of = (name: string) => `purgatory_${name}{purgatory="fetch"}`;
    for (const [name, value] of Object.entries({
      parked_operations: 1,
      watched_keys: 1,
      parked_total: 2,
      expired_total: 1,
      time_parked_seconds_count: 1,
    }))
      expect(during.get(of(name)), name).to.equal(value);
    expect(during.get(of('time_parked_seconds_sum'))).to.be.above(0.059);
    expect(during.get('purgatory_time_parked_seconds_bucket{purgatory="fetch",le="0.016"}')).to.equal(0);

    await (await broker.newClient()).produce('t', 0, -1, makeBatch(['a']));
    await parked;
    const after = await samples();
    expect(after.get(of('parked_operations'))).to.equal(0);
    expect(after.get(of('watched_keys'))).to.equal(0);
    expect(after.get(of('completed_early_total'))).to.equal(1);
    expect(after.get('purgatory_completed_early_total{purgatory="produce"}')).to.equal(1);
    expect(after.get('purgatory_completed_early_total{purgatory="join"}')).to.equal(0);
  });

  it('tells how late the reaper is', async () => {
    const parked = parkFetch(500);
    await until(() => broker.status.purgatories.fetch.parked === 1, 'a fetch waits');
    const begin = performance.now();
    while (performance.now() < begin + 700);
    await parked;
    const after = await samples();
    const of = (name: string) => after.get(`purgatory_reaper_lateness_seconds_${name}{timer="broker"}`);
    expect(of('count')).to.equal(1);
    expect(of('sum')).to.be.above(0.05);
  });

  it('counts records and their bytes in and out, and the replicas in sync', async () => {
    const batches = [makeBatch(['a', 'b', 'c']), makeBatch(['d'])];
    const bytes = batches[0].length + batches[1].length;
    for (const batch of batches) await broker.client.produce('t', 0, -1, batch);
    await broker.client.produce('t', 0, -1, Buffer.from('no batch'));
    for (let i = 0; i < 2; i++) await parkFetch(0);
    const after = await samples();
    expect(after.get('broker_records_in_total')).to.equal(4);
    expect(after.get('broker_bytes_in_total')).to.equal(bytes);
    expect(after.get('broker_records_out_total')).to.equal(8);
    expect(after.get('broker_bytes_out_total')).to.equal(2 * bytes);
    for (const partition of [0, 1, 2])
      expect(after.get(`broker_isr_size{topic="t",partition="${partition}"}`)).to.equal(1);
  });

  it('is in the text format of Prometheus, and read-only', async () => {
    const response = await scrape();
    expect(response.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    expect(text).to.contain('# TYPE purgatory_parked_operations gauge');
    expect(text).to.contain('# TYPE purgatory_time_parked_seconds histogram');
    expect(text).to.contain('# TYPE purgatory_expired_total counter');
    expect((await scrape('POST')).status).to.equal(405);
  });
});
