import { expect } from 'chai';
import {
  checkedBoolean,
  checkedFunction,
  checkedNumber,
  checkedOptions,
  checkedSignal,
  type NumberRule,
  requiredArray,
  requiredClock,
  requiredFunction,
  requiredNumber,
  requiredOptions,
  requiredString,
} from '../../src/base/checks.ts';

describe('The rule for numbers', () => {
  const COUNT: NumberRule = { min: 1, max: 5, integer: true };

  it('takes the bounds, and the fallback for undefined only', () => {
    expect([1, 5].map((n) => checkedNumber('n', n, 3, COUNT))).to.deep.equal([1, 5]);
    expect(checkedNumber('n', undefined, 3, COUNT)).to.equal(3);
    expect(() => checkedNumber('n', null, 3, COUNT)).to.throw(TypeError, 'of type number. Received null');
    expect(() => requiredNumber('n', undefined, COUNT)).to.throw(TypeError, 'Received undefined');
  });

  it('refuses what breaks it, NaN too', () => {
    for (const value of [0, 6, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => requiredNumber('n', value, COUNT), `${value}`)
        .to.throw(RangeError, `an integer >= 1 and <= 5. Received ${value}`)
        .with.property('code', 'ERR_OUT_OF_RANGE');
    }
  });

  const { MAX_VALUE, MAX_SAFE_INTEGER, MIN_VALUE } = Number;
  const IN_WORDS: readonly (readonly [NumberRule, string])[] = [
    [{ min: -MAX_VALUE, max: MAX_VALUE }, 'be a finite number.'],
    [{ min: 0, max: MAX_VALUE }, 'be a finite number >= 0.'],
    [{ min: -MAX_VALUE, max: MAX_SAFE_INTEGER }, 'be a finite number <= Number.MAX_SAFE_INTEGER.'],
    [
      { min: -MAX_VALUE, max: MAX_SAFE_INTEGER, orInfinity: true },
      'be a number <= Number.MAX_SAFE_INTEGER, or Infinity.',
    ],
    [{ min: MIN_VALUE, max: 9 }, 'be a number > 0 and <= 9.'],
  ];
  for (const [rule, words] of IN_WORDS) {
    it(`says in words that a value must ${words}`, () => {
      expect(() => requiredNumber('n', Number.NaN, rule)).to.throw(RangeError, words);
    });
  }
});

describe('What may not be left out', () => {
  const REQUIRED: readonly (readonly [name: string, good: unknown, check: (value: never) => unknown])[] = [
    ['a function', () => {}, (value) => requiredFunction('x', value)],
    ['a string', '', (value) => requiredString('x', value)],
    ['an array', [], (value) => requiredArray('x', value)],
    ['an object of options', {}, (value) => requiredOptions('x', value)],
  ];
  for (const [name, good, check] of REQUIRED) {
    it(`comes back if it is ${name}; anything else is a TypeError`, () => {
      expect(check(good as never)).to.equal(good);
      for (const bad of [undefined, null, 1, true]) {
        expect(() => check(bad as never), `${bad}`)
          .to.throw(TypeError, `Received ${bad === undefined || bad === null ? bad : 'type'}`)
          .with.property('code', 'ERR_INVALID_ARG_TYPE');
      }
    });
  }
});

describe('What may be left out', () => {
  it('has its default for undefined, and only for undefined', () => {
    expect(checkedFunction('x', undefined)).to.equal(undefined);
    expect(checkedBoolean('x', undefined, true)).to.equal(true);
    expect(checkedBoolean('x', false, true)).to.equal(false);
    expect(checkedOptions(undefined)).to.deep.equal({});
    expect(checkedSignal('x', undefined)).to.equal(undefined);
    const none = null as never;
    expect(() => checkedFunction('x', none)).to.throw(TypeError, 'of type function. Received null');
    expect(() => checkedBoolean('x', none, true)).to.throw(TypeError, 'of type boolean. Received null');
    expect(() => checkedOptions(none)).to.throw(TypeError, 'of type object. Received null');
    expect(() => checkedSignal('x', none)).to.throw(TypeError, 'of AbortSignal. Received null');
  });

  it('says that a signal belongs into an object of options', () => {
    expect(() => checkedOptions(new AbortController().signal)).to.throw(TypeError, 'such as { signal }');
  });
});

describe('The rule for clocks', () => {
  it('refuses what is none, and a clock whose time is no finite number', () => {
    for (const none of [null, {}, { now: () => 1 }]) {
      expect(() => requiredClock('options.clock', none as never)).to.throw(
        TypeError,
        'methods now and wakeAt',
      );
    }
    const lost = { now: () => Number.NaN, wakeAt: () => {} };
    expect(() => requiredClock('options.clock', lost as never))
      .to.throw(TypeError, 'finite number from now(). Received NaN')
      .with.property('code', 'ERR_INVALID_ARG_VALUE');
  });
});
