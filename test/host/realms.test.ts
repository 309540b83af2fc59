import { expect } from 'chai';
import { bundled } from '../support/bundled.ts';
import { ok, runNode, summary } from '../support/child.ts';

describe('behaviour 20: each kind of wait with a signal ends without an abort, and leaves nothing', () => {
  const late = 'PurgatoryError ERR_PURGATORY_TIMEOUT';
  const ends = {
    waitFor: 1,
    'waitFor that expires': true,
    acquire: late,
    take: [1, true],
    follow: 2,
    call: ['reply', late],
    awaitAtLeast: [false, true],
    waitUntil: true,
    sleep: 'slept',
    timeoutSignal: [false, true],
    'a sleep that is aborted': 'AbortError ABORT_ERR',
    'a timer that is disposed': [true, false],
  };

  it('in a realm of node:vm, which has no Symbol.dispose on Node 20 and 22', async () => {
    const [script, waits] = await Promise.all([
      bundled('test/host/children/vm-context.ts'),
      bundled('test/host/children/all-waits.ts', 'cjs'),
    ]);
    expect(summary(await runNode([script, waits]))).to.deep.equal(ok(JSON.stringify(ends)));
  });

  it('where the intrinsics are frozen, as by SES', async () => {
    const waits = await bundled('test/host/children/all-waits.ts');
    const result = await runNode(['--no-warnings', '--frozen-intrinsics', waits]);
    expect(summary(result)).to.deep.equal(ok(JSON.stringify(ends)));
  });
});
