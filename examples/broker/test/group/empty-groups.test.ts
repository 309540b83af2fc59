import { expect } from 'chai';
import { EmptyGroups } from '../../group/empty-groups.ts';
import { Group } from '../../group/group.ts';

describe('the groups without members', () => {
  const ids = (groups: EmptyGroups) => groups.all().map(({ id }) => id);

  it('are forgotten when they were empty for the retention time, counted from the last time', () => {
    const groups = new EmptyGroups();
    const [one, other] = [new Group('one'), new Group('other')];
    groups.add(one, 0);
    groups.add(other, 500);
    groups.add(one, 600);
    groups.expire(1499, 1000);
    expect(ids(groups)).to.deep.equal(['other', 'one']);
    groups.expire(1500, 1000);
    expect(ids(groups)).to.deep.equal(['one']);
    groups.delete('one');
    groups.delete('one');
    expect(groups.get('one')).to.equal(undefined);
  });

  it('take a bounded number of bytes, for which the longest empty go, and give them back', () => {
    const groups = new EmptyGroups();
    const long = (i: number) => `${i}`.padStart(30_000, 'x');
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 100; i++) groups.add(new Group(long(i)), i);
      const left = ids(groups);
      expect(left.length, `round ${round}`).to.equal(69);
      expect(left.at(0)).to.equal(long(31));
      expect(left.at(-1)).to.equal(long(99));
      groups.expire(1e9, 0);
      expect(ids(groups)).to.deep.equal([]);
    }
  });
});
