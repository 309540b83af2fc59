// Queues and their naive twin. Items are numbers.
import { Queues, type Taken, type TakenMany } from '../../src/waits/queues/index.ts';
import { checkPurgatoryInvariants } from '../support/checks/purgatory.ts';
import { codeOf } from '../support/code-of.ts';
import { deeplySame, same } from '../support/same.ts';
import { type Halves, LinesStage } from './lines-stage.ts';
import { NaiveQueues } from './queues-reference.ts';

export type QueuesAct =
  | { do: 'put'; key: string; many: number }
  | { do: 'putBack'; key: string }
  /** Puts back what was taken, or what was put back already. */
  | { do: 'giveBack'; which: number }
  | { do: 'remove'; key: string; which: number }
  | { do: 'clear'; key: string }
  /** `max` of 0: one item, by `take`. */
  | { do: 'take'; keys: readonly string[]; max: number; timeoutMs: number; many: number }
  | { do: 'tryTake'; keys: readonly string[] };

const textOf = (key: string, values: readonly number[]): string => `${key}: ${values.join()}`;

export class QueuesStage extends LinesStage<QueuesAct, Queues<number>, NaiveQueues> {
  override readonly ours: Queues<number>;
  override readonly naive: NaiveQueues;
  #items = 0;
  /** What was taken, and whether it was put back. */
  readonly #taken: { readonly taken: Taken<number, string> | TakenMany<number, string>; isBack: boolean }[] =
    [];

  constructor(maxItems: number, maxParked: number) {
    super();
    this.ours = new Queues('model', { maxItems, timer: this.timer, maxParked });
    this.naive = new NaiveQueues(maxItems, maxParked);
  }

  protected override own(act: QueuesAct): Halves {
    const { ours, naive } = this;
    switch (act.do) {
      case 'put': {
        const { key, many } = act;
        const items = Array.from({ length: many }, () => this.#items++);
        let code: unknown;
        const put = (): void => {
          code = codeOf(() => (many === 1 ? ours.put(key, items[0]) : ours.putAll(key, items)));
        };
        const refusal = (): unknown => (naive.isClosed ? 'ERR_PURGATORY_CLOSED' : 'ERR_PURGATORY_FULL');
        return [put, () => same(code, naive.put(key, items) ? undefined : refusal())];
      }
      case 'putBack': {
        const item = this.#items++;
        return [() => ours.putBack(act.key, item), () => naive.putBack(act.key, item)];
      }
      case 'giveBack': {
        const given = this.#taken[act.which % this.#taken.length];
        if (given === undefined) return [() => {}, () => {}];
        const { taken, isBack } = given;
        given.isBack = true;
        const items = 'values' in taken ? taken.values : [taken.value];
        const refusal = isBack ? 'ERR_INVALID_ARG_VALUE' : undefined;
        return [
          () =>
            same(
              codeOf(() => ours.putBack(taken)),
              refusal,
            ),
          () => isBack || naive.giveBack(taken.key, items),
        ];
      }
      case 'remove': {
        const item = act.which % Math.max(this.#items, 1);
        let isRemoved: boolean;
        return [
          () => {
            isRemoved = ours.remove(act.key, item);
          },
          () => same(isRemoved, naive.remove(act.key, item)),
        ];
      }
      case 'clear': {
        let cleared: readonly number[];
        return [
          () => {
            cleared = ours.clear(act.key);
          },
          () => deeplySame(cleared, naive.clear(act.key)),
        ];
      }
      case 'take': {
        const ids = Array.from({ length: act.many }, () => this.nextId());
        const keys = [...new Set(act.keys)];
        return [
          () => ids.forEach((id) => void this.#take(id, act)),
          () => ids.forEach((id) => void naive.take(id, keys, Math.max(act.max, 1), act.timeoutMs)),
        ];
      }
      case 'tryTake': {
        let taken: string | undefined;
        const tryOurs = (): void => {
          const given = ours.tryTake(act.keys);
          taken = given && this.#took(given);
        };
        return [tryOurs, () => same(naive.tryTake(act.keys, 1), taken)];
      }
    }
  }

  #take(id: number, { keys, max, timeoutMs }: QueuesAct & { do: 'take' }): void {
    const options = { timeoutMs, signal: this.signalOf(id) };
    if (max === 0) {
      const taken = this.ours.take(keys, options);
      this.follow(id, taken, (given) => (given.expired ? 'expired' : this.#took(given)));
    } else {
      const taken = this.ours.takeMany(keys, { ...options, max });
      this.follow(id, taken, (given) => (given.expired ? 'expired' : this.#took(given)));
    }
  }

  #took(taken: Taken<number, string> | TakenMany<number, string>): string {
    this.#taken.push({ taken, isBack: false });
    return textOf(taken.key, 'values' in taken ? taken.values : [taken.value]);
  }

  protected override compareKey(key: string): void {
    same(this.ours.sizeOf(key), this.naive.itemsOf(key).length, `items of ${key}`);
  }

  override compare(): void {
    checkPurgatoryInvariants(this.ours);
    super.compare();
    checkPurgatoryInvariants(this.ours);
    same(this.ours.size, this.naive.size);
    deeplySame(
      [...this.ours.keys()].sort(),
      [...this.naive.items.keys()].filter((key) => this.naive.itemsOf(key).length > 0).sort(),
    );
  }
}
