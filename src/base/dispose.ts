/// <reference lib="esnext.disposable" preserve="true" />
// The names of the methods that `using` and `await using` call, in any realm.
//
// Why. In a realm of node:vm (jest, vitest with vmThreads, a host of plugins) Node 20 and 22 have no
// Symbol.dispose, and a method `[Symbol.dispose]` is called "undefined". Compilers of `using` (esbuild,
// Babel) look for the registered symbol there.

export const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
export const ASYNC_DISPOSE: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

/** Gives the method `[Symbol.dispose]` or `[Symbol.asyncDispose]` of a class its name in this realm. */
export function nameDispose({ prototype }: { readonly prototype: object }, name: symbol): void {
  const methods = prototype as { undefined?: unknown; [name: symbol]: unknown };
  if (!Object.hasOwn(methods, 'undefined')) return;
  methods[name] = methods.undefined;
  delete methods.undefined;
}
