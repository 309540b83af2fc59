// The page while a real server is stopped, as a debugger or an operator stops it. Its connections
// stay, and nothing arrives.
import { expect } from 'chai';
import { chromiumNeed } from '../../../support/browser.ts';
import { describeWith } from '../../../support/needs.ts';
import { Program } from '../../../support/program.ts';
import { pause } from '../../../support/turns.ts';
import { tabsOfSuite } from './opened-page.ts';

const SERVER = `
  import { Purgatory } from 'purgatory';
  import { createInspector } from 'purgatory/inspector';
  const fetches = new Purgatory('fetch');
  fetches.waitFor(['orders-0'], () => undefined, { timeoutMs: 600_000 });
  console.log((await createInspector({ purgatories: [fetches] }).listen()).href);
  setInterval(() => {}, 1000);`;

describeWith(chromiumNeed, 'the page of the inspector while the server is stopped', () => {
  const openTab = tabsOfSuite();

  it('says that what it shows is old, greys it, and tells afterwards how long the process stood still, also on a page that is opened then', async () => {
    const server = new Program(process.execPath, ['--input-type=module', '-e', SERVER]);
    try {
      const [[url]] = await server.printed(/^http:.*/);
      const page = await openTab();
      await page.open(new URL(url));
      await page.says('.connection', 'live');
      await page.says('[data-explain="minutes"]', 'The last ten minutes');
      server.child.kill('SIGSTOP');
      await page.says('.headline', 'The server is silent');
      await page.says('.detail', /What is shown is \S+\s\S+ old/);
      await page.says('.connection', 'silent');
      const filter = "getComputedStyle(document.querySelector('.minutes')).filter";
      expect(await page.evaluate(filter)).to.equal('grayscale(1)');
      await pause(500); // it hangs a while longer
      server.child.kill('SIGCONT');
      await page.says('.headline', /Something is wrong: the server hung for \d/);
      await page.says('.connection', 'live');
      await page.lacks('[data-stale]');
      expect(await page.evaluate(filter)).to.equal('none');
      await page.says(
        '[data-test="incidents"]',
        /The server hung for [\d.]+\ss\. The event loop stood still/,
      );
      await page.page.reload();
      await page.says('.headline', /Something is wrong: the server hung for \d/);
      await page.says(
        '.detail',
        /\d\d:\d\d:\d\d–\d\d:\d\d:\d\d: The event loop stood still, .* the process ran for /,
      );
      await page.page.close();
    } finally {
      server.child.kill('SIGKILL');
    }
  });
});
