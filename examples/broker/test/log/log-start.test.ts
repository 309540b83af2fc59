import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { FileLog } from '../../log/file-log.ts';
import { writeLogStart } from '../../log/log-start.ts';
import { TimeSearch } from '../../log/time-search.ts';
import { readBatches } from '../../protocol/record-batch.ts';
import { ByteBudget } from '../../storage/byte-budget.ts';
import { OpenFiles } from '../../storage/open-files.ts';
import { makeBatch } from '../support/batches.ts';
import { openLog } from '../support/opened-log.ts';
import { dataFolder } from '../support/running-broker.ts';

const SEGMENT_BYTES = 600;

interface Kept {
  readonly base: number;
  readonly next: number;
  readonly timestamps: readonly number[];
}

/** The log as a list of batches, to compare with. */
class NaiveLog {
  start = 0;
  end = 0;
  batches: Kept[] = [];

  append(timestamps: readonly number[]): void {
    this.batches.push({ base: this.end, next: this.end + timestamps.length, timestamps });
    this.end += timestamps.length;
  }

  deleteBefore(offset: number): void {
    if (offset <= this.start) return;
    this.start = offset;
    this.end = Math.max(this.end, offset);
    this.batches = this.batches.filter(({ next }) => next > offset);
  }

  truncateTo(offset: number): void {
    this.batches = offset < this.start ? [] : this.batches.filter(({ next }) => next <= offset);
    this.start = Math.min(this.start, offset);
    this.end = this.batches.at(-1)?.next ?? this.start;
  }

  find(timestamp: number): { offset: number; timestamp: number } | undefined {
    const records = this.batches.flatMap(({ base, timestamps }) =>
      timestamps.map((time, index) => ({ offset: base + index, timestamp: time })),
    );
    return records.find((record) => record.offset >= this.start && record.timestamp >= timestamp);
  }

  /** Of the batches that are there as a whole. */
  findLatest(): { offset: number; timestamp: number } | undefined {
    const whole = this.batches.filter(({ base }) => base >= this.start);
    return this.find(Math.max(-1, ...whole.flatMap(({ timestamps }) => timestamps)));
  }
}

describe('the start of a log', () => {
  let folder: string;
  let files: OpenFiles;
  let space: ByteBudget;

  beforeEach(() => {
    folder = join(dataFolder(), 't-0');
    files = new OpenFiles(2);
    space = new ByteBudget(Infinity);
  });

  const open = () => openLog(folder, SEGMENT_BYTES, { files, space });
  const append = (log: FileLog, timestamps: readonly number[]) => {
    const values = timestamps.map((time) => `${time} `.repeat(20));
    return log.append(readBatches(makeBatch(values, timestamps))[0]);
  };
  const segments = () => readdirSync(folder).filter((name) => name.endsWith('.log'));

  it('moves as that of a list of batches would, whatever is appended, deleted, cut and opened again', async () => {
    const act = fc.oneof(
      fc.record({ append: fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }) }),
      fc.record({ deleteBefore: fc.nat(60) }),
      fc.record({ truncateTo: fc.nat(60) }),
      fc.record({ reopen: fc.constant(true) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), fc.nat(31), async (acts, time) => {
        folder = join(dataFolder(), 't-0');
        let log = open();
        const naive = new NaiveLog();
        for (const each of acts) {
          if ('append' in each) {
            expect(append(log, each.append)).to.equal(naive.end);
            naive.append(each.append);
          } else if ('deleteBefore' in each) {
            log.deleteBefore(each.deleteBefore);
            naive.deleteBefore(each.deleteBefore);
          } else if ('truncateTo' in each) {
            const offset = Math.min(each.truncateTo, naive.end);
            log.truncateTo(offset);
            naive.truncateTo(offset);
          } else {
            log.close();
            log = open();
          }
          const { start, end } = naive;
          expect([log.startOffset, log.endOffset]).to.deep.equal([start, end]);
          const read = readBatches(Buffer.concat(log.read(start, end, 1e6, true)));
          expect(read.map(({ baseOffset }) => baseOffset)).to.deep.equal(
            naive.batches.map(({ base }) => base),
          );
          expect(log.bytesBetween(start, end)).to.equal(read.reduce((sum, { size }) => sum + size, 0));
          expect(await new TimeSearch().find(log, time, end)).to.deep.equal(naive.find(time));
          expect(await new TimeSearch().findLatest(log, end)).to.deep.equal(naive.findLatest());
        }
        log.delete();
        expect(space.hasRoomFor(Infinity)).to.equal(true);
      }),
      { numRuns: 150 },
    );
  });

  it('counts where a crash came between writing it down and deleting what lies before it', () => {
    const log = open();
    for (let i = 0; i < 6; i++) append(log, [i, i, i]);
    log.close();
    const before = segments().length;
    expect(before).to.be.above(2);
    writeLogStart(folder, 10);
    writeFileSync(join(folder, 'start-offset.new'), '99');
    const again = open();
    expect([again.startOffset, again.endOffset]).to.deep.equal([10, 18]);
    expect(segments().length).to.be.below(before);
    again.close();
  });

  it('may be behind the end that a crash has left, and then the log is empty and goes on from there', () => {
    const log = open();
    append(log, [1]);
    log.close();
    writeLogStart(folder, 10);
    const again = open();
    expect([again.startOffset, again.endOffset, segments().length]).to.deep.equal([10, 10, 0]);
    expect(append(again, [2])).to.equal(10);
    again.close();
  });
});
