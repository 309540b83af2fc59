// What a history of sliced events is made of: acts, and operations that ask their stage what to do.
import { DelayedOperation } from '../../src/index.ts';
import type { Twin } from './sliced-reference.ts';

export type Act =
  | {
      readonly do: 'park';
      readonly keys: readonly string[];
      readonly many: number;
      readonly delayMs: number;
      /** Each so-manieth of them completes when it is tried; 0: none. */
      readonly ready: number;
    }
  | { readonly do: 'cancel' | 'force' | 'ready' | 'parkAgain'; readonly who: number }
  /** All but each so-manieth are cancelled. */
  | { readonly do: 'leaveMany'; readonly keepEach: number }
  | { readonly do: 'cancelForKey'; readonly key: string }
  | { readonly do: 'notify' | 'check'; readonly key: string; readonly atMost: number | undefined }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'throw' | 'served' | 'close' };

export interface History {
  readonly tryMs: number;
  /** Acts between slices, and how many turns of the event loop pass before each. */
  readonly steps: readonly { readonly turns: number; readonly act: Act }[];
  /** Acts inside tries, and how many tries pass before each. */
  readonly inside: readonly { readonly tries: number; readonly act: Act }[];
}

/** Where the operations of a history play. */
export interface SlicedStage {
  /** A try of `op`: returns what it is to return. */
  tryOf(op: SlicedOp): boolean;
  /** `op` has left the purgatory, completed. */
  didComplete(op: SlicedOp): void;
}

/** An operation that asks its history what to do. */
export class SlicedOp extends DelayedOperation implements Twin {
  readonly label: string;
  readonly keys: readonly string[];
  readonly #play: SlicedStage;
  isReady = false;
  dueMs = 0;

  constructor(play: SlicedStage, label: string, keys: readonly string[], delayMs: number) {
    super(delayMs);
    this.#play = play;
    this.label = label;
    this.keys = keys;
  }

  override tryComplete(): boolean {
    return this.#play.tryOf(this);
  }

  override onComplete(): void {
    this.#play.didComplete(this);
  }
}
