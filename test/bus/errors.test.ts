import { expect } from 'chai';
import sinon from 'sinon';
import { unfit } from '../../src/bus/bus-options.ts';
import { type Bus, type BusOptions, createBus, refusal } from '../../src/bus/index.ts';
import { ManualClock } from '../../src/clock/manual-clock.ts';
import { Puppet } from './rig.ts';

/** Its class, code, text and cause; the text without the name of the bus, which it must have. */
function told({ name, code, message, cause }: Error & { code?: string }): unknown[] {
  const [text, bus] = message.split(' (a bus over ');
  expect(bus).to.equal('puppet, prefix "shop")');
  return [name, code, text, cause];
}

describe('the errors of a bus', () => {
  let emitWarning: sinon.SinonStub;
  let clock: ManualClock;
  let engine: Puppet;

  beforeEach(() => {
    clock = new ManualClock();
    emitWarning = sinon.stub(process, 'emitWarning');
  });
  afterEach(() => emitWarning.restore());

  const open = (options?: BusOptions): Bus => {
    engine = new Puppet();
    return createBus(engine, { clock, ...options });
  };
  const warnings = (): string[] => emitWarning.args.map(([warning]) => String(warning));

  it('the snapshot keeps the last one, while the bus connects too', () => {
    const bus = open();
    expect(bus.snapshot().lastError).to.equal(null);
    clock.advance(10);
    engine.link.down(new Error('database "no" does not exist'));
    expect(bus.snapshot()).to.deep.include({
      state: 'connecting',
      lastGap: null,
      lastError: { message: 'database "no" does not exist', atMs: 10 },
    });
    clock.advance(1_000);
    engine.link.down(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }));
    expect(bus.snapshot().lastError).to.deep.equal({ message: 'ECONNREFUSED', atMs: 1_010 });
    clock.advance(1_000);
    engine.goLive();
    expect(bus.snapshot().lastError, 'kept').to.include({ atMs: 1_010 });
  });

  it('each names its bus and has a code: that of the client, or our own, with what the client said as its cause', () => {
    const errors: (Error & { code?: string })[] = [];
    open({ prefix: 'shop', maxPauseMs: 1_000, onError: (error) => errors.push(error as Error) });
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const ofNats = new Error('connection refused', { cause: refused });
    const noPermission = new Error('NOPERM');
    const whys = [refused, ofNats, new Error('WRONGPASS'), unfit('no permission', noPermission), 'a text'];
    for (const why of whys) {
      engine.link.down(why);
      clock.advance(40_000); // within the third attempt, which takes 15 s
    }
    expect(errors.filter(({ message }) => !message.includes('did not acknowledge')).map(told)).to.deep.equal([
      ['Error', 'ECONNREFUSED', 'connect ECONNREFUSED', refused],
      ['Error', 'ECONNREFUSED', 'connection refused', ofNats],
      ['PurgatoryError', 'ERR_PURGATORY_BUS_GAP', 'WRONGPASS', whys[2]],
      ['PurgatoryError', 'ERR_PURGATORY_BUS_UNFIT', 'no permission', noPermission],
      ['PurgatoryError', 'ERR_PURGATORY_BUS_GAP', 'a text', 'a text'],
    ]);
  });

  it('a bus that is not live after 5 s prints a warning, once, that names its engine and the last error', () => {
    open({ prefix: 'shop' });
    engine.link.down(new Error('connect ECONNREFUSED'));
    clock.advance(4_999);
    expect(warnings()).to.deep.equal([]);
    clock.advance(1);
    engine.link.down(new Error('connect ECONNREFUSED'));
    clock.advance(60_000);
    expect(warnings()).to.have.length(1);
    expect(warnings()[0]).to.match(/puppet.*"shop".*5 s.*connect ECONNREFUSED/);
    expect(emitWarning.args[0][1]).to.deep.equal({
      type: 'PurgatoryWarning',
      code: 'PURGATORY_BUS_NOT_LIVE',
    });
  });

  it('a gap of 30 s prints a warning, once, with the last error; a shorter one prints none', () => {
    open({ prefix: 'shop', maxPauseMs: 1_000 });
    engine.goLive();
    for (const gapMs of [29_999, 100_000]) {
      engine.link.down(new Error('broken'));
      for (let ms = 0; ms < gapMs; ms++) {
        clock.advance(1);
        if (ms % 1_000 === 0 && ms < gapMs - 5_000) engine.link.down(new Error('WRONGPASS'));
      }
      expect(warnings()).to.have.length(gapMs < 30_000 ? 0 : 1);
      engine.goLive();
    }
    expect(warnings()[0]).to.match(/puppet.*"shop".*30 s.*WRONGPASS/);
  });

  it('five gaps within a minute print a warning, once, with the last error; five in longer print none', async () => {
    const gapEvery = (ms: number, gaps: number): void => {
      for (let gap = 0; gap < gaps; gap++) {
        engine.goLive();
        clock.advance(ms - 100);
        engine.link.down(new Error('the server has closed an idle connection'));
        clock.advance(100);
      }
    };
    const bus = open({ prefix: 'shop', echoMs: 60_000 });
    gapEvery(15_100, 10);
    expect(warnings()).to.deep.equal([]);
    gapEvery(3_000, 20);
    expect(warnings()).to.have.length(1);
    expect(warnings()[0]).to.match(/puppet.*"shop".*5 gaps within a minute: the server has closed an idle/);
    expect(emitWarning.args[0][1]).to.include({ code: 'PURGATORY_BUS_GAPS_OFTEN' });
    await bus.close();
    open({ onError: () => {} });
    gapEvery(3_000, 20);
    expect(warnings()).to.have.length(1);
  });

  it('the warning says so when there was no error', () => {
    open();
    clock.advance(5_000);
    expect(warnings()[0]).to.contain('no error');
  });

  it('does not warn when onError is there, the bus was live in time, is closed, or has named its error', async () => {
    open({ onError: () => {} });
    clock.advance(5_000);
    open();
    engine.goLive();
    engine.link.down(new Error('broken'));
    clock.advance(5_000);
    await open().close();
    clock.advance(5_000);
    expect(warnings()).to.deep.equal([]);
    open();
    engine.link.down(refusal('NOPERM'));
    clock.advance(5_000);
    expect(warnings()).to.deep.equal([
      'PurgatoryError [ERR_PURGATORY_BUS_REFUSED]: NOPERM (a bus over puppet, prefix "purgatory")',
    ]);
  });
});
