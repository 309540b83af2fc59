import { expect } from 'chai';
import { contenders as measured } from '../../bench/schemes/contenders.ts';
import { runNode } from '../support/child.ts';
import { contenders as tested } from '../waits/schemes/timers.ts';

describe('the bench of the schemes', () => {
  it('measures the timers that the suite tests', () => {
    expect(Object.keys(measured)).to.have.length(tested.length);
  });

  it('measures start, stop, tick and mixed load of a scheme at each size', async () => {
    const args = ['--import', 'tsx', 'bench/schemes/child.ts', '6 hashed wheel', '10', '100'];
    const { code, stdout, stderr } = await runNode(args);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ size }) => size)).to.deep.equal([10, 100]);
    for (const { ns } of lines) expect(ns).to.have.all.keys('start', 'stop', 'tick', 'mixed');
  });
});
