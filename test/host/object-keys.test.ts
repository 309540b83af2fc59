import { expect } from 'chai';
import { runChild } from '../support/child.ts';

describe('A key that is an object', () => {
  it('is warned of once in a process, by Semaphore and by Queues, where it has no label', async () => {
    const { code, stdout, stderr } = await runChild('object-keys'); // none before them in that process
    expect([code, stderr]).to.deep.equal([0, '']);
    const warned = stdout.trim().split('\n');
    expect(warned).to.have.lengthOf(2);
    expect(warned[0]).to.match(
      /^PURGATORY_OBJECT_KEY Semaphore: the key \[Object\] is an object, which equals/,
    );
    expect(warned[1]).to.match(/^PURGATORY_OBJECT_KEY Queues: the key \[Object\] is an object/);
  });
});
