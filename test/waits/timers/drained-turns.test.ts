import { createHook } from 'node:async_hooks';
import { expect } from 'chai';
import { DrainedTurns } from '../../../src/waits/timers/drained-turns.ts';
import { turn, until } from '../../support/turns.ts';
import { uncaughtDuring } from '../../support/uncaught.ts';

describe('The drained turns', () => {
  let nowMs = 0;
  let pieces = 0;
  let runs: string[] = [];

  const burst = {
    runNext(): boolean {
      if (pieces === 0) return false;
      pieces--;
      nowMs++;
      runs.push('piece');
      queueMicrotask(() => runs.push('microtask'));
      process.nextTick(() => runs.push('tick'));
      return true;
    },
    now: () => nowMs,
  };

  const job = (): void => void runs.push('job');

  beforeEach(() => {
    nowMs = 0;
    pieces = 0;
    runs = [];
  });

  it('go on in the next turn when the budget is spent', async () => {
    pieces = 7;
    new DrainedTurns(burst, 3).add(job);
    const left: number[] = [];
    while (!runs.includes('job')) {
      await turn();
      if (left.at(-1) !== pieces) left.push(pieces);
    }
    expect(left.slice(-3)).to.deep.equal([4, 1, 0]);
  });

  it('queue no more immediates than fit into a budget at the pace of before', async () => {
    let immediates = 0;
    const init = (_: number, type: string): void => {
      if (type === 'Immediate') immediates++;
    };
    const hook = createHook({ init }).enable();
    pieces = 300;
    const turns = new DrainedTurns(burst, 100);
    turns.add(job);
    await until(() => runs.includes('job'));
    hook.disable();
    // 16 take 16 ms, so 100 fit.
    expect(immediates).to.be.within(300, 16 + 3 * 100 + 16);
  });

  it('go on in the next turn when a piece asks for it', async () => {
    const turns = new DrainedTurns(burst, 100);
    let jobs = 0;
    const again = (): void => {
      if (++jobs === 2) return;
      turns.add(again);
      turns.endTurn();
    };
    turns.add(again);
    await turn();
    expect(jobs).to.equal(1);
    await turn();
    expect(jobs).to.equal(2);
  });

  it('run in one turn a job that adds itself, more often than a batch is long', async () => {
    const turns = new DrainedTurns(burst, 100);
    let jobs = 0;
    const again = (): void => {
      if (++jobs < 1_000) turns.add(again);
    };
    turns.add(again);
    let count = 0;
    for (; jobs < 1_000; count++) await turn();
    expect(count).to.be.at.most(4);
  });

  it('run what is added after a job that has thrown', async () => {
    const turns = new DrainedTurns(burst, 100);
    const errors = await uncaughtDuring(1, () => {
      turns.add(() => {
        throw new Error('boom');
      });
    });
    turns.add(job);
    await turn();
    expect(errors).to.have.length(1);
    expect(runs).to.deep.equal(['job']);
  });
});
