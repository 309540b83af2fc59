import { expect } from 'chai';
import { createInspector } from '../../../../src/observe/inspector/index.ts';
import { rejection } from '../../../support/rejection.ts';
import { loading } from '../../../waits/shared/loading.ts';

describe('Shared waits in the inspector', () => {
  it('are found by key, and by operation, as those of a purgatory', async () => {
    const { waits, wait, loaded } = loading();
    const waiters = [wait('job 1'), wait('job 2'), wait('job 1')].map((each) => rejection(each));
    await loaded();
    const inspector = createInspector({ purgatories: [waits] });
    const url = await inspector.listen({ port: 0 });
    try {
      const found = await fetch(new URL('keys?text=job%201', `${url}`));
      expect(await found.json()).to.have.nested.property('keys[0].watchers', 2);
    } finally {
      await inspector.close();
      waits.close();
      await Promise.all(waiters);
    }
  });
});
