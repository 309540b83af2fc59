// An AbortController that shares no class with the host's, like one of a polyfill or another realm.

export class PolyfillSignal {
  aborted = false;
  reason: unknown;
  readonly listeners = new Set<() => void>();

  addEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.delete(listener);
  }
}

export class PolyfillController {
  readonly signal = new PolyfillSignal() as PolyfillSignal & AbortSignal;

  /** Calls each listener and drops it, as for `once`. */
  abort(reason?: unknown): void {
    const { signal } = this;
    if (signal.aborted) return;
    Object.assign(signal, { aborted: true, reason });
    for (const listener of signal.listeners) {
      signal.listeners.delete(listener);
      listener();
    }
  }
}
