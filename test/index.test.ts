import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import * as purgatory from '../src/index.ts';

describe('The public face', () => {
  it('exports exactly the names of the design', () => {
    expect(Object.keys(purgatory).sort()).to.deep.equal([
      'DelayedOperation',
      'ManualClock',
      'Purgatory',
      'PurgatoryError',
      'SystemTimer',
      'TimerTask',
      'systemClock',
    ]);
  });

  it('has named exports only', () => {
    expect(purgatory).to.not.have.property('default');
  });

  it('exports the types of what users implement', () => {
    const clock: purgatory.Clock = {
      now: () => 0,
      wakeAt: (): purgatory.WakeUp => ({ cancel: () => {} }),
    };
    const timer: purgatory.Timer = new purgatory.SystemTimer({ clock, reaper: false });
    expect(timer.size).to.equal(0);
  });

  it('makes every operation a timer task', () => {
    expect(Object.getPrototypeOf(purgatory.DelayedOperation)).to.equal(purgatory.TimerTask);
  });

  it('leads the package to the built index and declares no side effects', async () => {
    const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    expect(manifest.type).to.equal('module');
    expect(manifest.sideEffects).to.equal(false);
    expect(manifest.exports['.']).to.deep.equal({ types: './dist/index.d.ts', default: './dist/index.js' });
  });
});
