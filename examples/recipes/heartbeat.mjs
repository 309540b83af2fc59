// A stream with a heartbeat inside one overall deadline: docs/recipes/server-sent-events.md
import { Writable } from 'node:stream';
import { Purgatory } from 'purgatory';
import { drained } from 'purgatory/http';
import { timeoutSignal } from 'purgatory/timers';

const log = [];
const watches = new Purgatory('watches');

function append(event) {
  log.push(event);
  watches.notify('log');
}

/** Writes the events from `from` on, and a bookmark after each `heartbeatMs` of silence. */
async function watch(from, { durationMs, heartbeatMs, signal }, stream) {
  const deadline = timeoutSignal(durationMs, { signal });
  let next = from;
  const news = () => log.length > next && log.slice(next);
  try {
    const options = { timeoutMs: heartbeatMs, signal: deadline };
    for await (const { expired, value } of watches.follow(['log'], news, options)) {
      if (expired) stream.write(`bookmark ${next}\n`);
      else for (const event of value) stream.write(`${event} (${++next})\n`);
      await drained(stream, { signal: deadline });
    }
  } catch (error) {
    if (error.name !== 'TimeoutError') throw error; // else the watch has lasted as long as it should
  } finally {
    deadline[Symbol.dispose]();
  }
}

append('added');
const client = new Writable({
  highWaterMark: 1, // each line has to be read before the next
  write(chunk, _encoding, read) {
    process.stdout.write(chunk);
    if (String(chunk) === 'bookmark 1\n') append('changed');
    setTimeout(read, 10);
  },
});
await watch(0, { durationMs: 6_000, heartbeatMs: 4_000 }, client);
console.log(watches.numDelayed);
watches.close();

/* It prints

added (1)
bookmark 1
changed (2)
0
*/
