import { readdirSync, readFileSync, readlinkSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { FileLog } from '../../log/file-log.ts';
import { TimeSearch } from '../../log/time-search.ts';
import { readBatches } from '../../protocol/record-batch.ts';
import { OpenFiles } from '../../storage/open-files.ts';
import { makeBatch } from '../support/batches.ts';
import { openLog } from '../support/opened-log.ts';
import { dataFolder } from '../support/running-broker.ts';

const SEGMENT_BYTES = 2000;

describe('a log of segment files', () => {
  let folder: string;
  let lines: string[];
  /** One file at a time: all that is read of the others is read of files that were opened again. */
  let files: OpenFiles;

  beforeEach(() => {
    folder = join(dataFolder(), 't-0');
    lines = [];
    files = new OpenFiles(1);
  });

  const open = (segmentBytes = SEGMENT_BYTES) => openLog(folder, segmentBytes, { files }, lines);
  const append = (log: FileLog, values: string[], timestamps?: number[]) =>
    log.append(readBatches(makeBatch(values, timestamps))[0]);
  /** The offsets of all batches that a read returns. */
  const offsetsOf = (chunks: Buffer[]) =>
    readBatches(Buffer.concat(chunks)).map(({ baseOffset }) => baseOffset);
  const lastSegment = () => join(folder, readdirSync(folder).sort().at(-1) as string);

  it('makes no file before something is appended', async () => {
    const log = open();
    expect(log.endOffset).to.equal(0);
    expect(await log.flush()).to.equal(0);
    expect(() => readdirSync(folder)).to.throw('ENOENT');
  });

  it('reads, measures, finds and cuts as a list of batches would, also after it is opened again', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        sizes,
        fc.nat(),
        fc.nat(),
        fc.nat(6000),
        fc.nat(200),
        fc.boolean(),
        async (counts, x, y, bytes, time, cut) => {
          folder = join(dataFolder(), 't-0');
          let log = open();
          const batches: { base: number; next: number; bytes: number }[] = [];
          for (const [index, count] of counts.entries()) {
            const values = Array.from({ length: count }, (_, i) => `${index}/${i} `.repeat(20 * (index % 4)));
            const times = values.map(() => index);
            const batch = makeBatch(values, times);
            const base = log.append(readBatches(batch)[0]);
            batches.push({ base, next: base + count, bytes: batch.length });
          }
          if (cut) {
            const at = y % (log.endOffset + 1);
            log.truncateTo(at);
            while (batches.length > 0 && (batches.at(-1)?.next as number) > at) batches.pop();
          }
          for (let round = 0; round < 2; round++) {
            const end = batches.at(-1)?.next ?? 0;
            expect(log.endOffset).to.equal(end);
            const [from, to] = [x % (end + 1), y % (end + 1)];
            const between = batches.filter(({ next }) => next > from && next <= to);
            expect(log.bytesBetween(from, to), 'bytes').to.equal(
              to < from
                ? 0
                : batches
                    .filter(({ next, base }) => next > from && base < to && !(base < to && next > to))
                    .reduce((sum, batch) => sum + batch.bytes, 0),
            );
            const fits: number[] = [];
            let room = bytes;
            for (const batch of between) {
              room -= batch.bytes;
              if (room < 0 && fits.length > 0) break;
              fits.push(batch.base);
            }
            expect(offsetsOf(log.read(from, to, bytes, true)), 'read').to.deep.equal(fits);
            const late = counts.findIndex((_, index) => index >= time);
            const expected =
              late === -1 || late >= batches.length
                ? undefined
                : { offset: batches[late].base, timestamp: late };
            expect(await new TimeSearch().find(log, time, end), 'time').to.deep.equal(expected);
            log.close();
            log = open();
          }
          log.close();
          expect(lines).to.deep.equal([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is cut where an append ended in the middle, wherever that was, and goes on from there', () => {
    const lastBytes = makeBatch(['last']).length;
    const cuts = Array.from({ length: lastBytes - 1 }, (_, index) => index + 1);
    // And room that the disk made for a write that never came.
    for (const cut of [...cuts, -100]) {
      folder = join(dataFolder(), 't-0');
      lines = [];
      const log = open();
      append(log, ['kept'.repeat(500)]);
      append(log, ['last']);
      log.close();
      expect(readdirSync(folder)).to.have.length(2);
      truncateSync(lastSegment(), statSync(lastSegment()).size - cut);
      const again = open();
      const end = cut < 0 ? 2 : 1;
      const bytes = cut < 0 ? -cut : lastBytes - cut;
      expect(lines, `${cut}`).to.deep.equal([
        `cut a torn end of ${bytes} bytes off ${lastSegment()}, which has ${cut < 0 ? lastBytes : 0} now`,
      ]);
      expect(append(again, ['next']), `${cut}`).to.equal(end);
      expect(offsetsOf(again.read(0, again.endOffset, 1e6, true)).at(-1)).to.equal(end);
      again.close();
    }
  });

  it('does not start when a file that was complete is damaged, or is gone', () => {
    const log = open();
    for (let i = 0; i < 4; i++) append(log, ['x'.repeat(1500)]);
    log.close();
    const [first, second] = readdirSync(folder).sort();
    const bytes = readFileSync(join(folder, second));
    truncateSync(join(folder, second), 1000);
    expect(open).to.throw('there is no whole batch of offset 1 there');
    writeFileSync(join(folder, second), bytes);
    truncateSync(join(folder, first), 0);
    expect(open).to.throw('files are missing');
  });

  it('has so many files open at a time and no more, besides those that are being flushed', async () => {
    files = new OpenFiles(3);
    const log = open(500);
    const openNow = () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
        } catch {
          // The descriptor of the folder that is listed.
          return false;
        }
      }).length;
    for (let i = 0; i < 20; i++) append(log, ['x'.repeat(400)]);
    expect(readdirSync(folder)).to.have.length(20);
    expect([openNow(), files.size]).to.deep.equal([3, 3]);
    const flushes = [log.flush()];
    for (let i = 0; i < 20; i++)
      expect(offsetsOf(log.read(i, i + 1, 0, true)), 'of files that were closed').to.deep.equal([i]);
    flushes.push(log.flush());
    await Promise.all(flushes);
    expect([openNow(), files.size]).to.deep.equal([3, 3]);
    append(log, ['y'.repeat(400)]);
    expect(log.endOffset).to.equal(21);
    log.close();
    expect([openNow(), files.size]).to.deep.equal([0, 0]);
  });

  it('closes under a flush that is under way', async () => {
    const log = open();
    append(log, ['a']);
    const flushed = log.flush();
    log.delete();
    expect(await flushed).to.equal(0);
    expect(() => readdirSync(folder)).to.throw('ENOENT');
  });
});
