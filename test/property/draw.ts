// Arbitraries in the words of the models: acts with their fields, and how often each comes.
import fc from 'fast-check';

type Fields<F> = { readonly [Name in keyof F]: fc.Arbitrary<F[Name]> };

/** What draws acts of a name, or of one of those names, in the field `tag`, and their other fields. */
function tagged<const Tag extends string>(tag: Tag) {
  return <const What extends string, F extends object>(
    what: What | readonly What[],
    fields: Fields<F> = {} as Fields<F>,
  ): fc.Arbitrary<Record<Tag, What> & F> => {
    const names = typeof what === 'string' ? [what] : what;
    return fc.record({ [tag]: fc.constantFrom(...names), ...fields }) as never;
  };
}

export const act = tagged('do');
export const kind = tagged('kind');

/** Any of them, each so many times as often as one of weight 1. */
export function mixed<T>(
  ...parts: readonly (readonly [weight: number, of: fc.Arbitrary<T>])[]
): fc.Arbitrary<T> {
  return fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}
