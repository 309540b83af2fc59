import { expect } from 'chai';
import { axis, rate, share, shortCount, time } from '../../../src/observe/inspector/page/words/format.ts';

describe('numbers on the inspector', () => {
  it('are told in the unit that keeps them short', () => {
    const told = [0.25, 12.4, 999, 1500, 262_144, 3_600_000, 134_217_728].map(time);
    const spaced = told.map((each) => each.replace('\u00a0', ' '));
    expect(spaced).to.deep.equal(['0.3 ms', '12 ms', '999 ms', '1.5 s', '4.4 min', '1 h', '1.6 d']);
    const rounded = [0, 0.011, 0.0996, 9.96, 999.6, 59_960, 3_598_000].map(time);
    expect(rounded.map((each) => each.replace('\u00a0', ' '))).to.deep.equal([
      '0 ms',
      '11 µs',
      '0.1 ms',
      '10 ms',
      '1 s',
      '1 min',
      '1 h',
    ]);
  });

  it('are told with tenths only where they are small', () => {
    expect([0, 0.25, 9.94, 10.4, 9999, 12_345].map(rate)).to.deep.equal([
      '0',
      '0.3',
      '9.9',
      '10',
      '9,999',
      '12.3K',
    ]);
    expect(shortCount(1_234_567)).to.equal('1.2M');
  });

  it('name each step of the axis of a count once, six at most, also where there is nothing to draw', () => {
    const names = (most: number): string[] => axis(most).steps.map(([, name]) => name);
    expect([names(0), names(23)]).to.deep.equal([
      ['0', '1'],
      ['0', '10', '20'],
    ]);
    for (let most = 0.3; most < 1e12; most *= 1.3) {
      expect(new Set(names(most)), `${most}`).to.have.property('size', names(most).length);
      expect(names(most)).to.have.length.within(2, 6);
    }
  });

  it('are all only when they are all', () => {
    const spaced = (part: number, all: number): string => share(part, all).replace('\u00a0', ' ');
    expect(spaced(0, 0)).to.equal('–');
    expect(spaced(1, 3)).to.equal('33 %');
    expect(spaced(99_999, 100_000)).to.equal('99.9 %');
    expect(spaced(100_000, 100_000)).to.equal('100 %');
  });
});
