// Requests by fetch, with a deadline each and one for all: docs/drop-in-timers.md
import { once } from 'node:events';
import { createServer } from 'node:http';
import { timeoutSignal } from 'purgatory/timers';

const upstream = createServer((request, response) => {
  setTimeout(() => response.end(`answer of ${request.url}`), request.url === '/slow' ? 60_000 : 10).unref();
});
await once(upstream.listen(0), 'listening');
const { port } = upstream.address();

async function ask(path, timeoutMs, signal) {
  const deadline = timeoutSignal(timeoutMs, { signal });
  try {
    const response = await fetch(`http://localhost:${port}${path}`, { signal: deadline });
    return await response.text(); // the deadline holds for the body too
  } catch (error) {
    return `${path}: ${error.name}`;
  } finally {
    deadline[Symbol.dispose](); // with TypeScript, or Node 24: `using deadline = timeoutSignal(...)`
  }
}

/** For a promise that takes no signal: what it began goes on. */
async function within(promise, timeoutMs) {
  const deadline = timeoutSignal(timeoutMs);
  const timedOut = once(deadline, 'abort').then(() => deadline.throwIfAborted());
  return Promise.race([promise, timedOut]).finally(() => deadline[Symbol.dispose]());
}

const caller = new AbortController();
const wholeRequest = timeoutSignal(60_000, { signal: caller.signal });
console.log(await ask('/fast', 30_000, wholeRequest));
console.log(await ask('/slow', 100, wholeRequest));
setTimeout(() => caller.abort(), 20);
console.log(await ask('/slow', 30_000, wholeRequest));
wholeRequest[Symbol.dispose]();
console.log(await within(ask('/fast', 30_000), 30_000));
console.log(await within(new Promise(() => {}), 50).catch(({ name }) => name));
upstream.close();
upstream.closeAllConnections();

/* It prints

answer of /fast
/slow: TimeoutError
/slow: AbortError
answer of /fast
TimeoutError
*/
