import { expect } from 'chai';
import { ok, runChild, summary } from '../support/child.ts';

describe('An uncaughtException handler ends what threw, and the process goes on', () => {
  for (const scene of [
    'timer.close()',
    'task.cancel()',
    'cancel() of a periodic task',
    'purgatory.close()',
    'purgatory.cancelForKey()',
    'idle.close()',
    'clearTimeout of the drop-in',
    'clearInterval of the drop-in',
    'an abort of the promises',
    'a fake clock that is installed and restored',
    'timer.close() for a throw of a host timer',
  ]) {
    it(`by ${scene}`, async () => {
      expect(summary(await runChild('uncaught', [scene]))).to.deep.equal(ok('boom'));
    });
  }
});
