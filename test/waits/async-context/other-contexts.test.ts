// The rows of docs/async-context.md on callbacks that are none of an operation's.
import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { ManualClock, Purgatory, SystemTimer } from '../../../src/index.ts';
import { closeSignal } from '../../../src/waits/http/index.ts';
import { SharedWaits } from '../../../src/waits/shared/index.ts';
import { ThresholdPurgatory } from '../../../src/waits/threshold/index.ts';
import { timeoutSignal } from '../../../src/waits/timers/index.ts';

describe('The context of', () => {
  const requests = new AsyncLocalStorage<string>();
  const seen: string[] = [];
  const note = (what: string): void => {
    seen.push(`${what}: ${requests.getStore() ?? 'root'}`);
  };
  const noted = (): string[] => seen.splice(0);
  const listen = (signal: AbortSignal): void => signal.addEventListener('abort', () => note('abort'));

  it('a load, and of the condition that it answers, is the root', async () => {
    const load = async (keys: readonly string[]): Promise<Map<string, number>> => {
      note('load');
      return new Map(keys.map((key) => [key, 1]));
    };
    const shared = new SharedWaits('rows', { load });
    const condition = (state: number | undefined): number | undefined => {
      note('condition');
      return state;
    };
    await requests.run('waiter', () => shared.waitUntil('k', condition, { timeoutMs: 60_000 }));
    expect(noted()).to.deep.equal(['load: root', 'condition: root']);
    shared.close();
  });

  it('the read of a threshold that was missed is the root', async () => {
    const current = async (): Promise<number> => {
      note('current');
      return 5;
    };
    const marks = new ThresholdPurgatory('marks', { current });
    await requests.run('waiter', () => marks.awaitAtLeast('k', 3, { timeoutMs: 60_000 }));
    expect(noted()).to.deep.equal(['current: root']);
    marks.close();
  });

  it('an abort is that of who aborts, and at a deadline that of who moves the clock', async () => {
    const clock = new ManualClock();
    const polls = new Purgatory('polls', { clock });
    const condition = ({ signal }: { signal: AbortSignal }): undefined => {
      signal.onabort = () => note('abort');
    };
    const wait = requests.run('waiter', () => polls.waitFor(['k'], condition, { timeoutMs: 5 }));
    requests.run('clock', () => clock.advance(5));
    await wait;
    const client = new AbortController();
    const { signal } = client;
    const other = polls.waitFor(['k'], condition, { timeoutMs: 5, signal }).catch(() => 'aborted');
    requests.run('client', () => client.abort());
    expect(await other).to.equal('aborted');
    expect(noted()).to.deep.equal(['abort: clock', 'abort: client']);
  });

  it('a timeoutSignal is the root at its deadline, and that of who aborts its parent', async () => {
    using timer = new SystemTimer();
    const late = requests.run('maker', () => timeoutSignal(1, { timer }));
    listen(late);
    await once(late, 'abort');
    const parent = new AbortController();
    listen(requests.run('maker', () => timeoutSignal(60_000, { signal: parent.signal })));
    requests.run('parent', () => parent.abort());
    expect(noted()).to.deep.equal(['abort: root', 'abort: parent']);
  });

  it('a closeSignal is that of who closes', () => {
    const connection = new EventEmitter();
    listen(requests.run('maker', () => closeSignal(connection)));
    requests.run('closer', () => connection.emit('close'));
    expect(noted()).to.deep.equal(['abort: closer']);
  });
});
