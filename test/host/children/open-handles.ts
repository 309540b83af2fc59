// Run by liveness.test.ts: what tools that look for open handles find (jest --detectOpenHandles,
// why-is-node-running). They watch async resources, and ask each that is not destroyed for hasRef.
import { createHook } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';

const found = new Map<number, { readonly type: string; readonly resource: object }>();
const hook = createHook({
  init: (id, type, _, resource) => void (type !== 'PROMISE' && found.set(id, { type, resource })),
  destroy: (id) => void found.delete(id),
}).enable();

function open(): string[] {
  return [...found.values()]
    .filter(({ resource }) => !('hasRef' in resource) || (resource as NodeJS.Timeout).hasRef())
    .map(({ type }) => type);
}

await import('../../../src/index.ts');
const { ContextualOperation } = await import('../../../src/waits/async-context/index.ts');
const { setInterval, setTimeout } = await import('../../../src/waits/timers/index.ts');
let imported: string[] = [];
for (let turns = 0; turns < 10 || (imported.length > 0 && turns < 10_000); turns++) {
  await turn(); // until the requests of the import have ended
  found.forEach(({ type }, id) => void (/^FS|^FILE|TickObject/.test(type) && found.delete(id)));
  imported = open();
}

class Poll extends ContextualOperation {
  override tryComplete(): boolean {
    return false;
  }
  override onComplete(): void {}
}
new Poll(5);
setTimeout(() => {}, 60_000).unref();
setInterval(() => {}, 60_000).unref();
const unrefd = open();
const timeout = setTimeout(() => {}, 60_000);
const refd = open();
clearTimeout(timeout as never);
timeout.close();
hook.disable();
process.stdout.write(JSON.stringify({ imported, unrefd, refd }));
