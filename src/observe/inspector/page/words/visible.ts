// The user's texts (keys, names, labels) as the page shows them. Whatever they contain, they change
// nothing around them. Pure.
//
// Ground rules. Every text of the user goes through here, by the components of names.tsx or by
// `quoted`. Invisible characters (control and format characters, halves of surrogate pairs) are
// spelled out, so that none of them has an effect. Each text has its own direction.

/** First strong isolate, and its end: the same as <bdi>, in a plain string. */
const FSI = '\u2068';
const PDI = '\u2069';

/** All but the two joiners, which scripts and emoji are written with. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

export function visible(text: string): string {
  if (text === '') return '""';
  return text.replaceAll(UNSEEN, (unseen) => {
    const code = (unseen.codePointAt(0) as number).toString(16);
    return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\u{${code}}`;
  });
}

/** For sentences, attributes and options. */
export function quoted(text: string): string {
  return FSI + visible(text) + PDI;
}
