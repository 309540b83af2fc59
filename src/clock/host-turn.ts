// An immediate of the host, which keeps the process alive or does not.
//
// Ground rules. It is never cleared (next-turn.ts says why). It is the host's own setImmediate, in
// the root context. An immediate that is unref'd does not wake a loop that waits for events. So a
// turn that is not held has an alarm beside it, an unref'd timer of 1 ms. The loop may run the
// alarm before it waits. So the alarm is set again until the turn has come.
import { setImmediate as hostSetImmediate } from 'node:timers';
import { host } from './host.ts';
import { rootContext } from './root-context.ts';

export class HostTurn {
  readonly #immediate: ReturnType<typeof hostSetImmediate>;
  readonly #run: () => void;
  #hasCome = false;
  #isHeld = true;
  #hasAlarm = false;

  constructor(run: () => void) {
    this.#run = run;
    this.#immediate = rootContext.runInAsyncScope(hostSetImmediate, undefined, this.#come);
  }

  /** Whether it keeps the process alive. At first it does. */
  set isHeld(isHeld: boolean) {
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    if (isHeld) {
      this.#immediate.ref();
    } else {
      this.#immediate.unref();
      if (!this.#hasAlarm) this.#setAlarm();
    }
  }

  #setAlarm(): void {
    this.#hasAlarm = true;
    rootContext.runInAsyncScope(host.setTimeout, undefined, this.#ring, 1).unref();
  }

  readonly #ring = (): void => {
    this.#hasAlarm = false;
    if (!this.#hasCome && !this.#isHeld) this.#setAlarm();
  };

  readonly #come = (): void => {
    this.#hasCome = true;
    this.#run();
  };
}
