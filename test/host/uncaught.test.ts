import { expect } from 'chai';
import { ok, runChild, summary } from '../support/child.ts';
import { scenes } from './children/uncaught.ts';

describe('An uncaughtException handler ends what threw, and the process goes on', () => {
  for (const scene of Object.keys(scenes)) {
    it(`by ${scene}`, async () => {
      expect(summary(await runChild('uncaught', [scene]))).to.deep.equal(ok('boom'));
    });
  }
});
