// One tracked element: its countdown, as the timer holds it.
//
// Ground rules. A touch changes `touched` and nothing else, so the timer may hold the task for an earlier time than the element
// will be idle at; when that comes, whoever tracks the element looks at `touched` and files the task again. `index` is where it is
// tracked; undefined once it is no more.
import { TimerTask } from '../timer/timer-task.ts';
import type { ElementIndex } from './element-index.ts';
import type { Stamp } from './touch-time.ts';

export class IdleTask<E> extends TimerTask {
  readonly element: E;
  readonly #onDue: (task: IdleTask<E>) => void;
  timeoutMs: number;
  touched: Stamp;
  index: ElementIndex<E> | undefined;

  constructor(element: E, timeoutMs: number, touched: Stamp, onDue: (task: IdleTask<E>) => void) {
    super(timeoutMs);
    this.element = element;
    this.timeoutMs = timeoutMs;
    this.touched = touched;
    this.index = undefined;
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
