import { expect } from 'chai';
import { Served } from '../../src/purgatory/served.ts';

/** What has resolved, after the microtasks. */
async function resolved(waits: Record<string, Promise<void>>): Promise<string[]> {
  const names: string[] = [];
  for (const [name, wait] of Object.entries(waits)) void wait.then(() => names.push(name));
  await new Promise((resolve) => setImmediate(resolve));
  return names;
}

describe('Who waits until events have been served', () => {
  it('waits for as many passes of each key as it was given', async () => {
    const served = new Served();
    const once = served.wait(new Map([['a', 1]]));
    const twice = served.wait(
      new Map([
        ['a', 2],
        ['b', 1],
      ]),
    );
    served.didEnd('a');
    expect(await resolved({ once, twice })).to.deep.equal(['once']);
    served.didEnd('a');
    served.didEnd('other');
    expect(await resolved({ twice })).to.deep.equal([]);
    served.didEnd('b');
    expect(await resolved({ twice })).to.deep.equal(['twice']);
  });

  it('waits no longer when no pass will come any more', async () => {
    const served = new Served();
    const wait = served.wait(new Map([['a', 5]]));
    served.clear();
    expect(await resolved({ wait })).to.deep.equal(['wait']);
  });
});
