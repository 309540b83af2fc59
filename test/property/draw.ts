// Arbitraries in the words of the models: acts with their fields, and how often each comes.
import fc from 'fast-check';

type Fields<F> = { readonly [Name in keyof F]: fc.Arbitrary<F[Name]> };

/** An act: its `do` is `what`, or any of those, and its other fields are drawn from `fields`. */
export function act<const Do extends string, F extends object>(
  what: Do | readonly Do[],
  fields: Fields<F> = {} as Fields<F>,
): fc.Arbitrary<{ do: Do } & F> {
  const names = typeof what === 'string' ? [what] : what;
  return fc.record({ do: fc.constantFrom(...names), ...fields }) as unknown as fc.Arbitrary<{ do: Do } & F>;
}

/** Any of them, each so many times as often as one of weight 1. */
export function mixed<T>(
  ...parts: readonly (readonly [weight: number, of: fc.Arbitrary<T>])[]
): fc.Arbitrary<T> {
  return fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}
