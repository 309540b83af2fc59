import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { runNode } from '../support/child.ts';
import { program, recipe } from '../support/documented.ts';

const PAGE = 'docs/testing.md';

/**
 * Runs a program to its end. On Node 20, node:test warns that its mock timers are
 * experimental.
 */
async function outcome(source: string): Promise<{ code: number | null; stdout: string }> {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', source];
  const { code, stdout, stderr } = await runNode(args);
  expect(stderr).to.equal('');
  return { code, stdout };
}

describe('docs/testing.md', () => {
  for (const name of ['manual-clock.mjs', 'sinon.mjs']) {
    it(`has a program ${name} that prints what the page says`, async () => {
      const page = await readFile(new URL(`../../${PAGE}`, import.meta.url), 'utf8');
      const after = page.slice(page.indexOf(`// ${name}\n`));
      const [, text] = /^```text\n(.*?)^```/ms.exec(after) as unknown as [string, string];
      expect(await outcome(program(PAGE, name))).to.deep.equal({ code: 0, stdout: text });
    });
  }

  it('has a program for node:test that passes', async () => {
    const { code, stdout } = await outcome(recipe('node-test.mjs'));
    expect(code).to.equal(0);
    expect(stdout)
      .to.match(/^. pass 1$/m)
      .and.match(/^. fail 0$/m);
  });

  it('says what is true of runAll with a bus, and of runToLast', async () => {
    const source = `
      import sinon from 'sinon';
      import { Purgatory } from 'purgatory';
      import { LocalHub } from 'purgatory/bus';
      const fake = sinon.useFakeTimers();
      const polls = new Purgatory('polls');
      for (const timeoutMs of [1_000, 60_000]) void polls.waitFor(['feed'], () => undefined, { timeoutMs });
      fake.runToLast();
      console.log(Date.now(), polls.numDelayed);
      fake.runAll();
      console.log(polls.numDelayed);
      const bus = new LocalHub().bus();
      const shared = new Purgatory('shared', { bus });
      void shared.waitFor(['feed'], () => undefined, { timeoutMs: 60_000 });
      try { fake.runAll(); } catch (error) { console.log(error.message); }
      console.log(shared.numDelayed);
      shared.close();
      polls.close();
      fake.restore();
      await bus.close();
    `;
    const stdout = '1000 1\n0\nAborting after running 1000 timers, assuming an infinite loop!\n0\n';
    expect(await outcome(source)).to.deep.equal({ code: 0, stdout });
  });

  it('says what is true of setTimeout alone under node:test: only the drop-in runs', async () => {
    const source = `
      import { mock } from 'node:test';
      import { Purgatory } from 'purgatory';
      import { setTimeout } from 'purgatory/timers';
      mock.timers.enable({ apis: ['setTimeout'] });
      const polls = new Purgatory('polls');
      polls.waitFor(['feed'], () => undefined, { timeoutMs: 60_000 }).catch(({ code }) => console.log(code));
      setTimeout(() => console.log('drop-in'), 60_000);
      mock.timers.tick(60_000);
      console.log(polls.numDelayed);
      polls.close();
    `;
    const { code, stdout, stderr } = await runNode(['--input-type=module', '-e', source]);
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: 'drop-in\n1\nERR_PURGATORY_CLOSED\n' });
    expect(stderr).to.contain('PURGATORY_FAKE_WITHOUT_TIME');
  });
});
