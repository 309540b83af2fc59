import { appendFileSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { findings } from '../../storage/damage.ts';
import { Journal } from '../../storage/journal.ts';
import { dataFolder } from '../support/running-broker.ts';

describe('a journal', () => {
  let path: string;

  beforeEach(() => {
    path = join(dataFolder(), 'journal');
  });

  /** All entries count, unless `current` says otherwise. */
  function open(current?: () => unknown[]): {
    journal: Journal<unknown>;
    entries: unknown[];
    lines: string[];
  } {
    const entries: unknown[] = [];
    const lines: string[] = [];
    const journal = new Journal(
      path,
      (entry) => entries.push(entry),
      current ?? (() => entries),
      findings(false, (line) => lines.push(line)),
    );
    return { journal, entries, lines };
  }

  it('gives back what was appended, and says what a crash left after it and is cut off', async () => {
    const { journal } = open();
    journal.append({ a: 'line\nbreak' });
    journal.append(['ü']);
    await journal.flush();
    await journal.close();
    const whole = readFileSync(path);
    for (const rest of ['', '0', '00000000 {"a":1}', '\0\0\0']) {
      appendFileSync(path, rest);
      const again = open();
      expect(again.entries).to.deep.equal([{ a: 'line\nbreak' }, ['ü']]);
      const said = `cut a torn end of ${rest.length} bytes off ${path}, which has ${whole.length} now`;
      expect(again.lines).to.deep.equal(rest === '' ? [] : [said]);
      await again.journal.close();
      expect(readFileSync(path).equals(whole), `after ${JSON.stringify(rest)}`).to.equal(true);
    }
    truncateSync(path, whole.length - 1);
    expect(open().entries).to.deep.equal([{ a: 'line\nbreak' }]);
  });

  it('takes an entry back, on the disk too, where what goes along with it fails', async () => {
    const { journal } = open();
    journal.append('kept', () => expect(readFileSync(path, 'utf8')).to.contain('kept'));
    const fail = () => {
      throw new Error('no room');
    };
    expect(() => journal.append('lost', fail)).to.throw('no room');
    expect(statSync(path).size).to.equal(journal.size);
    journal.append('next');
    await journal.close();
    expect(open().entries).to.deep.equal(['kept', 'next']);
  });

  it('is replaced by what counts when most of it does not, at its start and on the way, and grows on', async () => {
    let last: unknown[] = [];
    const { journal } = open(() => last);
    const flushes: Promise<void>[] = [];
    for (let i = 0; i < 2500; i++) {
      const entry = `${i} ${'x'.repeat(100)}`;
      journal.append(entry);
      last = [entry];
      // So that some are under way when the file is replaced.
      if (i % 100 === 0) flushes.push(journal.flush());
    }
    expect(journal.size).to.be.within(1, 132_000);
    await Promise.all(flushes);
    await journal.close();
    expect(statSync(path).size).to.equal(journal.size);

    const again = open(() => last);
    expect(again.entries.at(-1)).to.equal(last[0]);
    expect(again.journal.size).to.be.below(130);
    again.journal.append('and one more');
    await Promise.all([again.journal.flush(), again.journal.flush()]);
    await again.journal.close();
    expect(open().entries).to.deep.equal([...last, 'and one more']);
  });
});
