import { expect } from 'chai';
import { runNode } from '../../support/child.ts';

describe('The events', () => {
  // In a process of its own: other tests subscribe.
  it('have no subscribers of the library itself', async () => {
    const heard = await runNode(['test/host/observe/children/subscribers.mjs']);
    expect(heard).to.include({ code: 0, stdout: 'true\n', stderr: '' });
  });
});
