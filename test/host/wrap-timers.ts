// What agents and tracers do with the timers of the host: each global becomes a function that calls
// the one before it, and its callback in a context of its own.
import { AsyncLocalStorage } from 'node:async_hooks';

const spans = new AsyncLocalStorage<string>();

/** Wraps setTimeout and setInterval; `dropsArguments`: but for the delay. */
export function wrapTimers({ dropsArguments = false } = {}): void {
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const original = globalThis[name] as (...args: unknown[]) => NodeJS.Timeout;
    const wrapper = function (this: unknown, callback: unknown, ...args: unknown[]): NodeJS.Timeout {
      const traced = (...given: unknown[]): unknown =>
        spans.run(name, () => (callback as (...all: unknown[]) => unknown)(...given));
      return original.call(this, traced, ...(dropsArguments ? args.slice(0, 1) : args));
    };
    globalThis[name] = wrapper as never;
  }
}
