import { expect } from 'chai';
import sinon from 'sinon';
import { type Clock, systemClock } from '../../../src/index.ts';
import { pause, turn, until } from '../../support/turns.ts';

/** What earlier files in this process have left outstanding: it moves to a fake, too. */
function leftOver(): number {
  const fake = sinon.useFakeTimers();
  systemClock.now(); // notices
  const timers = fake.countTimers();
  fake.restore();
  return timers;
}

describe('systemClock', () => {
  afterEach(() => sinon.restore());

  it('counts milliseconds as performance.now() does', async () => {
    const beforeFirst = performance.now();
    const first = systemClock.now();
    const afterFirst = performance.now();
    await pause(3); // some time to count
    const beforeSecond = performance.now();
    const second = systemClock.now();
    const afterSecond = performance.now();
    expect(second - first).to.be.within(beforeSecond - afterFirst, afterSecond - beforeFirst);
  });

  it('goes on from its last reading where its source is new, and where that goes back (behaviour 8)', () => {
    sinon.useFakeTimers({ toFake: ['setTimeout'] });
    const source = sinon.stub(performance, 'now').returns(1e12);
    const before = systemClock.now();
    expect(before).to.be.below(1e12);
    source.returns(1_000);
    expect(systemClock.now()).to.equal(before);
    source.returns(1_250);
    source.resetHistory();
    expect(systemClock.now()).to.equal(before + 250);
    expect(source.callCount).to.equal(1);
  });

  for (const name of ['performance', 'Date'] as const) {
    it(`goes by the host's time when ${name}.now alone is a stub, because the host wakes it`, async () => {
      const before = systemClock.now();
      // Ahead of the host: the timers of Deno go by performance.now, and stand still where it goes back.
      const stubMs = before + 60_000;
      sinon.stub(globalThis[name] as { now(): number }, 'now').returns(stubMs);
      const wokenMs = await new Promise<number>((resolve) => {
        systemClock.wakeAt(before + 5, () => resolve(systemClock.now()));
      });
      expect(wokenMs)
        .to.be.at.least(before + 5)
        .and.below(stubMs);
    });
  }

  /** A clock whose module has warned of nothing so far. */
  async function freshClock(name: string): Promise<Clock> {
    const path = `../../../src/clock/system-clock.ts?${name}`;
    return ((await import(path)) as typeof import('../../../src/clock/system-clock.ts')).systemClock;
  }

  it('does not take the time of a fake that replaces setTimeout alone, and says so once in a process', async () => {
    const clock = await freshClock('alone');
    const emitWarning = sinon.stub(process, 'emitWarning');
    const fake = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let wokenMs: number | undefined;
    const atMs = clock.now() + 3_600_000;
    const wakeUp = clock.wakeAt(atMs, () => {
      wokenMs = clock.now();
    });
    fake.tick(3_600_000);
    fake.tick(3_600_000);
    wakeUp.cancel();
    expect(wokenMs).to.equal(undefined);
    expect(emitWarning.args.map(([, options]) => options)).to.deep.equal([
      { type: 'PurgatoryWarning', code: 'PURGATORY_FAKE_WITHOUT_TIME' },
    ]);
    expect(emitWarning.args[0][0]).to.match(/^setTimeout was 3\d{6} ms early by process.hrtime, /);
  });

  it('says so of a performance.now that is a stub and stands still under a fake of setTimeout', async () => {
    const clock = await freshClock('stub');
    const emitWarning = sinon.stub(process, 'emitWarning');
    sinon.stub(performance, 'now').returns(5_000);
    const fake = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let wakes = 0;
    clock.wakeAt(clock.now() + 100, () => wakes++);
    fake.tick(1_000);
    expect(wakes).to.equal(0);
    expect(emitWarning.args.map(([text]) => text)).to.deep.equal([
      'setTimeout was 100 ms early by performance, and timers of purgatory go by that. ' +
        'Let one fake move both setTimeout and Date, and install it after the import of purgatory.',
    ]);
  });

  it('takes a fake that does not say so for a wrapper, and says that it is woken early', async () => {
    const clock = await freshClock('unknown');
    const emitWarning = sinon.stub(process, 'emitWarning');
    let fire: (() => void) | undefined;
    sinon.replace(globalThis, 'setTimeout', ((callback: () => void) => {
      fire = callback;
    }) as never);
    const frozen = class extends Date {};
    sinon.replace(globalThis, 'Date', frozen as DateConstructor);
    let wakes = 0;
    const wakeUp = clock.wakeAt(clock.now() + 3_600_000, () => wakes++);
    expect(clock.isStill).to.equal(false);
    fire?.();
    wakeUp.cancel();
    expect(wakes).to.equal(0);
    expect(emitWarning.args[0][0]).to.match(/^setTimeout was 3\d{6} ms early by process.hrtime, /);
  });

  it('says nothing of a fake that fires at the limit of setTimeout, on the way to a later time', async () => {
    const clock = await freshClock('limit');
    const emitWarning = sinon.stub(process, 'emitWarning');
    const fake = sinon.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
    let wakes = 0;
    clock.wakeAt(clock.now() + 2 ** 32, () => wakes++);
    fake.tick(2 ** 32 + 1);
    expect(wakes).to.equal(1);
    expect(emitWarning.args).to.deep.equal([]);
  });

  it('moves to a fake what is due already, which then comes once, by the fake', async () => {
    let wakes = 0;
    systemClock.wakeAt(0, () => wakes++);
    const fake = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    systemClock.now(); // notices
    await turn();
    expect(wakes).to.equal(0);
    fake.tick(1);
    expect(wakes).to.equal(1);
  });

  it('has one timer in a fake, also when a timer of the host was the first to find it', async () => {
    let wakes = 0;
    const others = leftOver();
    systemClock.wakeAt(systemClock.now() + 2, () => wakes++);
    const fake = sinon.useFakeTimers();
    await until(
      () => expect(fake.countTimers()).to.be.within(1, 1 + others),
      'the timer of the host has found the fake',
    );
    fake.tick(3);
    expect(wakes).to.equal(1);
  });

  it('waits for a time beyond the 2^31 ms of setTimeout, without a warning (behaviour 7)', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    let wakes = 0;
    const wakeUp = systemClock.wakeAt(systemClock.now() + 2 ** 40, () => wakes++);
    await pause(5); // setTimeout would have woken after 1 ms
    wakeUp.cancel();
    await turn();
    process.off('warning', note);
    expect(wakes).to.equal(0);
    expect(warnings).to.deep.equal([]);
  });

  it('moves to a host that is replaced what is outstanding, and only that, whichever were cancelled before', () => {
    for (const cancelled of [[], [0], [1], [2], [0, 1], [1, 2], [0, 2], [0, 1, 2]]) {
      const woken: number[] = [];
      const others = leftOver();
      const atMs = systemClock.now() + 60_000;
      const wakeUps = [0, 1, 2].map((i) => systemClock.wakeAt(atMs, () => woken.push(i)));
      for (const i of cancelled) wakeUps[i].cancel();
      for (const i of cancelled) wakeUps[i].cancel();
      const fake = sinon.useFakeTimers();
      systemClock.now(); // notices
      expect(fake.countTimers()).to.equal(3 - cancelled.length + others);
      fake.tick(60_001);
      expect(woken).to.deep.equal([0, 1, 2].filter((i) => !cancelled.includes(i)));
      fake.restore();
    }
  });
});
