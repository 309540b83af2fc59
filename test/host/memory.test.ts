import { expect } from 'chai';
import { ok, runChild, summary } from '../support/child.ts';
import { scenes } from './children/memory.ts';

describe('behaviour 15: the engine keeps no reference and no memory', () => {
  for (const scene of Object.keys(scenes)) {
    it(scene, async () => {
      expect(summary(await runChild('memory', [scene], ['--expose-gc']))).to.deep.equal(ok('all well'));
    });
  }
});
