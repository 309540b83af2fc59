// The task that `schedule` makes: a function with a delay.
import { TimerTask } from './timer-task.ts';

export class CallbackTask extends TimerTask {
  readonly #callback: () => void;

  constructor(callback: () => void, delayMs: number) {
    super(delayMs);
    this.#callback = callback;
  }

  override run(): void {
    const callback = this.#callback;
    callback();
  }
}
