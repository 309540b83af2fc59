// An AbortSignal like those of old polyfills: without a reason, and here without
// removeEventListener.

export class PolyfilledSignal {
  aborted = false;
  readonly listeners: (() => void)[] = [];

  addEventListener(type: string, listener: () => void): void {
    if (type === 'abort') this.listeners.push(listener);
  }

  abort(): void {
    this.aborted = true;
    for (const listener of this.listeners) listener();
  }

  asSignal(): AbortSignal {
    return this as unknown as AbortSignal;
  }
}
