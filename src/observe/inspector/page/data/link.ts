// The part of the page's address that keeps what the reader chose: #key=orders-0&purgatory=fetch. A
// link shows the same to somebody else.

/** The reader's choices that a link keeps. */
export interface Choice {
  /** The purgatory shown; undefined: all. */
  readonly purgatory: string | undefined;
  /** The key, or a part of it, that is looked for. */
  readonly key: string | undefined;
}

const NAMES = ['key', 'purgatory'] as const;

export function readLink(): Choice {
  const params = new URLSearchParams(location.hash.slice(1));
  const [key, purgatory] = NAMES.map((name) => params.get(name) ?? undefined);
  return { key, purgatory };
}

/** Replaces the last address: a choice is not a step to go back from. */
export function writeLink(choice: Choice): void {
  const params = new URLSearchParams();
  for (const name of NAMES) {
    const chosen = choice[name];
    if (chosen !== undefined) params.set(name, chosen);
  }
  const hash = params.toString();
  history.replaceState(null, '', hash === '' ? location.pathname + location.search : `#${hash}`);
}
