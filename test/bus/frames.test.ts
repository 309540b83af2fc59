import { expect } from 'chai';
import { FrameBody, frameText, readFrame } from '../../src/bus/frames.ts';
import { codeOf } from '../support/code-of.ts';

describe('a frame', () => {
  it('is ASCII, whatever its names and keys are', () => {
    const body = new FrameBody(16_000);
    const keys = ['заказ-7', 'ключ é', '漢字 \u{1f600}', '\ud800'];
    for (const key of keys) body.add('имя', key, 7n);
    body.addAll('ВСЁ');
    const text = frameText(body.text(), 'me', { number: 3, previous: undefined });
    expect(text).to.match(/^[ -~]+$/);
    const { hints, all } = readFrame(text);
    expect(hints).to.deep.equal(keys.map((key) => ({ name: 'имя', key, value: 7n })));
    expect(all).to.deep.equal(['ВСЁ']);
  });

  it('is never longer than its limit, and tells which number was before where that is not one less', () => {
    const body = new FrameBody(7_500);
    let keys = 0;
    while (body.add('n', `é${keys}`, undefined)) keys++;
    const number = Number.MAX_SAFE_INTEGER;
    const previous = { number, ageMs: number };
    const text = frameText(body.text(), '123456789012', { number, previous }, 'interest');
    expect(text.length).to.be.within(7_450, 7_500);
    expect(readFrame(text)).to.deep.include({ number, previous, routes: true });
    expect(readFrame(frameText('', 'me', { number: 2, previous: undefined }))).to.include({
      previous: undefined,
    });
  });

  it('names a name once, and is none with what no bus sends', () => {
    expect(readFrame('{"v":1,"all":["jobs","jobs","orders"]}').all).to.deep.equal(['jobs', 'orders']);
    const digits = (count: number): string => `{"v":1,"h":{"x":[["k","${'9'.repeat(count)}n"]]}}`;
    expect(readFrame(digits(40)).hints[0].value).to.equal(10n ** 40n - 1n);
    for (const text of [
      digits(41),
      `{"v":1,"o":"${'o'.repeat(65)}","n":1}`,
      '{"v":1,"o":"me","n":2,"p":1}',
      '{"v":1,"o":"me","n":2,"p":[1,"0"]}',
      '{"v":1,"o":"me","n":2,"p":[1]}',
      `{"v":1,"h":{"x":["${'k'.repeat(16_000)}"]}}`,
      ...[7, null, undefined, { toString: 'no function' }],
      ...[
        '',
        'hello',
        '1',
        'null',
        '[]',
        '{"v":1,"o":1}',
        '{"v":1,"n":1}',
        '{"v":1,"h":1}',
        '{"v":1,"all":[1]}',
      ],
      ...['"y"', '[1]', '[["k"]]', '[["k",null]]'].map((hints) => `{"v":1,"h":{"x":${hints}}}`),
    ]) {
      const read = (): unknown => readFrame(text as string);
      expect(codeOf(read), `${JSON.stringify(text)}`.slice(0, 50)).to.equal('ERR_PURGATORY_BUS_PROTOCOL');
      expect(read).to.throw(/^.{20,300}another prefix$/);
    }
  });
});
