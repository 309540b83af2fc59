// A stream with a heartbeat inside one overall deadline: docs/recipes/server-sent-events.md
import { Purgatory } from 'purgatory';
import { timeoutSignal } from 'purgatory/timers';

const log = [];
const watches = new Purgatory('watches');

function append(event) {
  log.push(event);
  watches.notify('log');
}

/** Sends the events from `from` on, and a bookmark after each `heartbeatMs` of silence. */
async function watch(from, { durationMs, heartbeatMs, signal }, send) {
  const deadline = timeoutSignal(durationMs, { signal });
  let next = from;
  const news = () => log.length > next && log.slice(next);
  try {
    const options = { timeoutMs: heartbeatMs, signal: deadline };
    for await (const { expired, value } of watches.follow(['log'], news, options)) {
      if (expired) send(`bookmark ${next}`);
      else for (const event of value) send(`${event} (${++next})`);
    }
  } catch (error) {
    if (error.name !== 'TimeoutError') throw error; // else the watch has lasted as long as it should
  } finally {
    deadline[Symbol.dispose]();
  }
}

append('added');
await watch(0, { durationMs: 2_000, heartbeatMs: 1_200 }, (line) => {
  console.log(line);
  if (line === 'bookmark 1') append('changed');
});
console.log(watches.numDelayed);
watches.close();

/* It prints

added (1)
bookmark 1
changed (2)
0
*/
