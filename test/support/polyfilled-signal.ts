// An AbortSignal like those of old polyfills and other realms: it shares no class with the host's, has
// a reason only where it gets one, and here no removeEventListener.

export class PolyfilledSignal {
  aborted = false;
  readonly listeners: (() => void)[] = [];

  addEventListener(type: string, listener: () => void): void {
    if (type === 'abort') this.listeners.push(listener);
  }

  /** Calls each listener and drops it, as for `once`. */
  abort(reason?: unknown): void {
    this.aborted = true;
    if (reason !== undefined) Object.assign(this, { reason });
    for (const listener of this.listeners.splice(0)) listener();
  }

  asSignal(): AbortSignal {
    return this as unknown as AbortSignal;
  }
}
