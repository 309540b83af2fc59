// One tracked element: its countdown, as the timer holds it.
//
// Ground rules. A touch changes nothing here but `touched`, and mostly not even that (element-index.ts): so the timer may hold the
// task for an earlier time than the element will be idle at. When that comes, its owner looks at the last touch, and files it again.
import { TimerTask } from '../timer/timer-task.ts';
import type { Stamp } from './touch-time.ts';

export class IdleTask<E> extends TimerTask {
  readonly element: E;
  /** The last touch, unless the element itself carries that. */
  touched: Stamp;
  timeoutMs = 0;
  readonly #onDue: (task: IdleTask<E>) => void;

  constructor(element: E, timeoutMs: number, touched: Stamp, onDue: (task: IdleTask<E>) => void) {
    super(timeoutMs);
    this.element = element;
    this.touched = touched;
    this.timeoutMs = timeoutMs;
    this.#onDue = onDue;
  }

  /** To be set before the task is filed again: a timer reads `delayMs` in each add. */
  set nextDelayMs(delayMs: number) {
    (this as { delayMs: number }).delayMs = delayMs;
  }

  override run(): void {
    this.#onDue(this);
  }
}
