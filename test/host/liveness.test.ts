import { expect } from 'chai';
import { type ChildResult, ok, runChild, summary } from '../support/child.ts';
import { scenes } from './children/liveness.ts';

/** Runs all scenes side by side: each process mostly waits for its own start. */
function runScenes(scenes: readonly string[]): Promise<Map<string, ChildResult>> {
  const results = scenes.map(async (scene) => [scene, await runChild('liveness', [scene])] as const);
  return Promise.all(results).then((entries) => new Map(entries));
}

describe('behaviour 10: an empty timer keeps no process alive; a pending one does, unless unref', () => {
  // What they print before they end by themselves; the others print nothing. A process that is kept alive for its hour
  // is killed, and has no exit code.
  const printed: Record<string, string> = {
    'a timer whose tasks ran': 'ran',
    'a pending task': 'ran',
    'unref and ref again': 'ran',
    'a burst after unref': 'ran all',
    'an event on many, notified in a burst after unref': 'answered all',
    'a burst, unref and ref in the middle of it': 'ran all',
    'an operation with a deadline': 'completed',
    'an operation that was completed early': 'completed',
    'a waiter with a deadline': 'expired',
    'a waiter that was aborted': 'aborted',
    'a timeout signal on a timer of the user’s': 'aborted',
    'an element of IdleTimeouts': 'idle',
    'an expected reply after unref and ref': 'timed out',
    'a load that hangs, for which nobody waits any more': 'aborted\naborted',
    'a load that hangs, for waits without a deadline': 'aborted\nheld\naborted',
  };

  let results: Map<string, ChildResult>;
  before(async () => {
    results = await runScenes(Object.keys(scenes));
  });

  for (const scene of Object.keys(scenes)) {
    const says = printed[scene];
    it(`${scene}: the process ${says === undefined ? 'ends at once' : `stays until it has ${says}`}`, () => {
      expect(summary(results.get(scene) as ChildResult)).to.deep.equal(ok(says ?? ''));
    });
  }
});

describe('behaviours 5 and 18: an error that nobody takes ends the process, as one in setTimeout does', () => {
  for (const [scene, message, printed] of [
    ['a throw of run without onError', 'out of run', 'ran'],
    ['a throw of onExpiration without onError', 'out of onExpiration', 'completed'],
    ['a throw of onError', 'out of onError', ''],
  ]) {
    it(scene, async () => {
      const { code, stdout, stderr } = await runChild('liveness', [scene]);
      expect(code).to.equal(1);
      expect(stdout.trim()).to.equal(printed);
      expect(stderr).to.match(new RegExp(`error: ${message}`, 'i'));
    });
  }
});

describe('A host whose timers are numbers, as in jsdom and Electron', () => {
  for (const [when, title] of [
    ['first', 'and were there before the import'],
    ['after', 'and came after the import'],
  ]) {
    it(`${title}: all that waits works, unref too`, async () => {
      expect(summary(await runChild('number-timers', [when]))).to.deep.equal(ok('all well'));
    });
  }
});

describe('A tool that looks for open handles', () => {
  it('finds none of an import, of what is parked, or of a timeout after unref', async () => {
    const { code, stdout, stderr } = await runChild('open-handles');
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(JSON.parse(stdout)).to.deep.equal({ imported: [], unrefd: [], refd: ['Timeout', 'Timeout'] });
  });
});
