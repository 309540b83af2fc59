import { expect } from 'chai';
import { Bulks } from '../../src/purgatory/bulks.ts';
import type { ParkedLists } from '../../src/purgatory/parked-lists.ts';
import { turn } from '../support/turns.ts';

/** Bulks over lists that have `steps` steps to do. `visits` has those of each step. */
function bulksOf(steps: number) {
  const visits: number[] = [];
  const lists = {
    shrink(count: number) {
      visits.push(count);
      return visits.length >= steps;
    },
  };
  const bulks = new Bulks(lists as ParkedLists<never>, undefined);
  return { bulks, visits };
}

describe('The end of a bulk', () => {
  it('gives memory back once, after the outermost one, and nothing where nobody left', async () => {
    const { bulks, visits } = bulksOf(1);
    bulks.end(bulks.begin());
    expect(visits).to.deep.equal([]);
    const outer = bulks.begin();
    const inner = bulks.begin();
    bulks.left++;
    bulks.end(inner);
    expect(visits).to.deep.equal([]);
    bulks.end(outer);
    bulks.end(bulks.begin());
    await turn();
    expect(visits).to.deep.equal([1_024]);
  });

  it('gives memory back in steps, a turn each', async () => {
    const { bulks, visits } = bulksOf(4);
    bulks.begin();
    bulks.left++;
    bulks.end(0);
    expect(visits).to.have.length(1);
    bulks.begin();
    for (let i = 0; i < 3; i++) await turn();
    expect(visits, 'nothing moves during a bulk').to.have.length(1);
    bulks.end(0);
    expect(visits, 'its end goes on').to.have.length(2);
    bulks.left++;
    bulks.end(bulks.begin());
    expect(visits, 'the steps go on by themselves').to.have.length(2);
    await turn();
    expect(visits).to.have.length(3);
    for (let i = 0; i < 5; i++) await turn();
    expect(visits).to.deep.equal([1_024, 1_024, 1_024, 1_024]);
  });
});
