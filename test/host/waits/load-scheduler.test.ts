import { expect } from 'chai';
import { runNode } from '../../support/child.ts';

describe('A load that hangs', () => {
  it('lets the process end, when nobody waits for the load that hangs any more', async () => {
    const code = `
      import { SharedWaits } from './src/waits/shared/index.ts';
      const waits = new SharedWaits('hangs', { load: () => new Promise(() => {}) });
      const controller = new AbortController();
      const waiter = waits.waitUntil('k', (v) => v, { timeoutMs: 600_000, signal: controller.signal });
      setTimeout(() => controller.abort(), 10);
      await waiter.catch(() => {});
      console.log(process.getActiveResourcesInfo().filter((what) => what === 'Timeout'));`;
    const { stdout } = await runNode(['--import', 'tsx', '--input-type=module', '-e', code]);
    expect(stdout).to.equal('[]\n');
  });

  it('keeps the process alive behind a load that hangs, for a wait that has no deadline', async () => {
    const code = `
      import { SharedWaits } from './src/waits/shared/index.ts';
      const isHeld = () => process.getActiveResourcesInfo().includes('Timeout');
      const waits = new SharedWaits('hangs', { concurrency: 1, load: () => new Promise(() => {}) });
      const wait = (key, timeoutMs) => {
        const controller = new AbortController();
        const { signal } = controller;
        waits.waitUntil(key, (v) => v, { timeoutMs, signal }).catch(() => {});
        return () => controller.abort();
      };
      const held = [];
      const note = () => new Promise((resolve) => setImmediate(resolve)).then(() => held.push(isHeld()));
      const abort = wait('hangs', 600_000);
      await note();
      abort();
      await note();
      for (const key of ['hangs', 'waits for the place']) {
        const end = wait(key, 0);
        await note();
        end();
        await note();
      }
      console.log(held.join());`;
    const { stdout } = await runNode(['--import', 'tsx', '--input-type=module', '-e', code]);
    expect(stdout).to.equal('true,false,true,false,true,false\n');
  });
});
