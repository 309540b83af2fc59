import { expect } from 'chai';
import { quoted, visible } from '../../../src/observe/inspector/page/words/visible.ts';

describe("users' texts on the inspector", () => {
  it('spell out what cannot be seen, so that it acts on nothing', () => {
    expect(visible('a\u0000\n\u007f\u0085b')).to.equal('a\\u0000\\u000a\\u007f\\u0085b');
    expect(visible('evil\u202egnp.exe\u2066\u2069\u200f')).to.equal(
      'evil\\u202egnp.exe\\u2066\\u2069\\u200f',
    );
    expect(visible('half \ud83d of a pair, \u2028 and \u{e0041}')).to.equal(
      'half \\ud83d of a pair, \\u2028 and \\u{e0041}',
    );
    expect(visible('')).to.equal('""');
  });

  it('stay as they are in any script', () => {
    for (const text of ['orders-0', 'שלום', 'مرحبا', '注文', 'می\u200cخواهم', '👩\u200d👧', 'é', '\\u0000']) {
      expect(visible(text)).to.equal(text);
    }
  });

  it('are isolated in sentences, and can end no isolate', () => {
    expect(quoted('a\u2069\u202eb')).to.equal('\u2068a\\u2069\\u202eb\u2069');
  });
});
