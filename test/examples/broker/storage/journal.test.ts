import { appendFileSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Journal } from '../../../../examples/broker/storage/journal.ts';
import { dataFolder } from '../support/running-broker.ts';

describe('a journal', () => {
  let path: string;

  beforeEach(() => {
    path = join(dataFolder(), 'journal');
  });

  function open(): { journal: Journal<unknown>; entries: unknown[] } {
    const entries: unknown[] = [];
    return { journal: new Journal(path, (entry) => entries.push(entry)), entries };
  }

  it('gives back what was appended, whatever a crash left after it', async () => {
    const { journal } = open();
    journal.append({ a: 'line\nbreak' });
    journal.append(['ü']);
    await journal.flush();
    await journal.close();
    const whole = readFileSync(path);
    for (const rest of ['', '0', '00000000 {}\n', '{"no":"checksum"}\n']) {
      appendFileSync(path, rest);
      const again = open();
      expect(again.entries).to.deep.equal([{ a: 'line\nbreak' }, ['ü']]);
      await again.journal.close();
      expect(readFileSync(path).equals(whole), `after ${JSON.stringify(rest)}`).to.equal(true);
    }
    truncateSync(path, whole.length - 1);
    expect(open().entries).to.deep.equal([{ a: 'line\nbreak' }]);
  });

  it('is replaced as a whole, and grows on', async () => {
    const { journal } = open();
    for (let i = 0; i < 10; i++) journal.append(i);
    journal.rewrite(['all of them']);
    journal.append('and one more');
    expect(journal.length).to.equal(2);
    await Promise.all([journal.flush(), journal.flush()]);
    await journal.close();
    expect(open().entries).to.deep.equal(['all of them', 'and one more']);
  });
});
