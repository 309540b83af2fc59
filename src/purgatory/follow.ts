// `follow`: one wait after the other, as an async iterator.
//
// Invariants. A wait is parked only while a call of `next` is pending. `return`, `throw` and an
// abort end it at once: a generator alone would hear of them only when its wait has ended. What a
// wait brings after them goes to `tooLate`. Answers that are there at once are given a batch a turn,
// so that a follower who is far behind blocks nobody.
import { type Abortable, addAbortable, removeAbortable, throwIfAborted } from '../base/abort-listeners.ts';
import type { Clock } from '../clock/clock.ts';
import { inNextTurn } from '../clock/later.ts';
import { MAX_ANSWERS } from '../turns/scheduler.ts';

/**
 * @param wait waits once, for as long as its signal does not abort.
 * @param signal the user's: its abort is an error of the iterator.
 * @param clock gives the turns.
 * @param tooLate gets what was answered when nobody asked any more.
 */
export function follow<R>(
  wait: (signal: AbortSignal) => Promise<R>,
  signal: AbortSignal | undefined,
  clock: Clock,
  tooLate: (result: R) => void = () => {},
): AsyncGenerator<R, void, undefined> {
  const stop = new AbortController();
  const abortable: Abortable = { abort: (reason) => stop.abort(reason) };
  let isOver = false;
  async function* answers(): AsyncGenerator<R, void, undefined> {
    throwIfAborted(signal);
    if (signal !== undefined) addAbortable(signal, abortable);
    try {
      for (let count = 1; ; count++) {
        const result = await wait(stop.signal);
        if (isOver) return tooLate(result);
        yield result;
        if (count % MAX_ANSWERS === 0) await new Promise<void>((go) => inNextTurn(go, clock));
      }
    } catch (error) {
      if (!isOver) throw error;
    } finally {
      if (signal !== undefined) removeAbortable(signal, abortable);
    }
  }
  const generator = answers();
  const end = generator.return.bind(generator);
  const endNow: typeof generator.return = (value) => {
    isOver = true;
    stop.abort();
    return end(value);
  };
  const throwNow: typeof generator.throw = async (error) => {
    await endNow();
    throw error;
  };
  // Defined: where intrinsics are frozen (SES), an inherited method cannot be assigned.
  return Object.defineProperties(generator, { return: { value: endNow }, throw: { value: throwNow } });
}
