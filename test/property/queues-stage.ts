// Queues and their naive twin. Items are numbers.
import { type Lease, Queues, type Taken, type TakenMany } from '../../src/waits/queues/index.ts';
import { checkPurgatoryInvariants } from '../support/checks/purgatory.ts';
import { codeOf } from '../support/code-of.ts';
import { deeplySame, same } from '../support/same.ts';
import { type Halves, LinesStage } from './lines-stage.ts';
import { NaiveQueues } from './queues-reference.ts';

export type QueuesAct =
  | { do: 'put'; key: string; many: number }
  /** One that has a deadline and a caller, or comes later. */
  | { do: 'putWith'; key: string; timeoutMs: number; afterMs: number }
  | { do: 'leave'; which: number }
  | { do: 'putBack'; key: string; afterMs: number }
  /** Puts back what was taken, or what was put back already. */
  | { do: 'giveBack'; which: number; afterMs: number }
  | { do: 'remove'; key: string; which: number }
  | { do: 'clear'; key: string }
  /** `max` of 0: one item, by `take`. */
  | { do: 'take'; keys: readonly string[]; max: number; timeoutMs: number; many: number }
  | { do: 'tryTake'; keys: readonly string[] }
  | { do: 'lease'; keys: readonly string[]; leaseMs: number; timeoutMs: number; many: number }
  | { do: 'ack'; which: number }
  | { do: 'nack'; which: number; afterMs: number }
  | { do: 'extend'; which: number; leaseMs: number };

const textOf = (key: string, values: readonly number[]): string => `${key}: ${values.join()}`;

export class QueuesStage extends LinesStage<QueuesAct, Queues<number>, NaiveQueues> {
  override readonly ours: Queues<number>;
  override readonly naive: NaiveQueues;
  #items = 0;
  /** What was taken, and whether it was put back. */
  readonly #taken: { readonly taken: Taken<number, string> | TakenMany<number, string>; isBack: boolean }[] =
    [];
  readonly #leases: { readonly lease: Lease<number>; readonly id: number }[] = [];
  /** The callers of items. */
  readonly #callers = new Map<number, AbortController>();
  readonly #expired: number[] = [];

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
      case 'putWith': {
        const { key, timeoutMs, afterMs } = act;
        const item = this.#items++;
        const caller = new AbortController();
        this.#callers.set(item, caller);
        const onExpired = (each: number, of: string): void => {
          same(of, key);
          this.#expired.push(each);
        };
        const options = { timeoutMs, afterMs, signal: caller.signal, onExpired };
        let code: unknown;
        return [
          () => {
            code = codeOf(() => ours.put(key, item, options));
          },
          () => {
            const refusal = naive.isClosed ? 'ERR_PURGATORY_CLOSED' : 'ERR_PURGATORY_FULL';
            same(code, naive.put(key, [item], { timeoutMs, afterMs }) ? undefined : refusal);
          },
        ];
      }
      case 'leave': {
        const item = act.which % Math.max(this.#items, 1);
        return [() => this.#callers.get(item)?.abort(), () => naive.leave(item)];
      }
      case 'putBack': {
        const item = this.#items++;
        const { key, afterMs } = act;
        return [() => ours.putBack(key, item, { afterMs }), () => naive.putBack(key, item, afterMs)];
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
              codeOf(() => ours.putBack(taken, { afterMs: act.afterMs })),
              refusal,
            ),
          () => isBack || naive.giveBack(taken.key, items, act.afterMs),
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
        return [tryOurs, () => same(naive.tryTake(act.keys), taken)];
      }
      case 'lease': {
        const { leaseMs, timeoutMs } = act;
        const ids = Array.from({ length: act.many }, () => this.nextId());
        const keys = [...new Set(act.keys)];
        return [
          () => ids.forEach((id) => void this.#lease(id, act)),
          () => ids.forEach((id) => void naive.take(id, keys, 1, timeoutMs, leaseMs)),
        ];
      }
      case 'ack':
        return this.#onLease(
          act,
          (lease) => lease.ack(),
          (id) => naive.ack(id),
        );
      case 'nack':
        return this.#onLease(
          act,
          (lease) => lease.nack({ afterMs: act.afterMs }),
          (id) => naive.nack(id, act.afterMs),
        );
      case 'extend':
        return this.#onLease(
          act,
          (lease) => lease.extend(act.leaseMs),
          (id) => naive.extend(id, act.leaseMs),
        );
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

  #lease(id: number, { keys, leaseMs, timeoutMs }: QueuesAct & { do: 'lease' }): void {
    const lease = this.ours.lease(keys, { leaseMs, timeoutMs, signal: this.signalOf(id) });
    this.follow(id, lease, (given) => {
      if (given.expired) return 'expired';
      this.#leases.push({ lease: given, id });
      return `${textOf(given.key, [given.value])} x${given.deliveries}`;
    });
  }

  #onLease(
    { which }: { which: number },
    ours: (lease: Lease<number>) => boolean,
    naive: (id: number) => boolean,
  ): Halves {
    const given = this.#leases[which % this.#leases.length];
    if (given === undefined) return [() => {}, () => {}];
    let result: boolean;
    return [
      () => {
        result = ours(given.lease);
      },
      () => same(result, naive(given.id)),
    ];
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
    const { size, leased, delayed, expired } = this.ours.snapshot().items;
    const { naive } = this;
    deeplySame(
      [this.ours.size, size, leased, delayed, expired],
      [naive.count('kept'), size, naive.count('out'), naive.count('later'), naive.expired.length],
    );
    deeplySame(this.#expired, naive.expired);
    deeplySame([...this.ours.keys()].sort(), naive.keys().sort());
  }
}
