// Every minute, again after a failure, and the end of both: docs/recipes/periodic.md
import { SystemTimer, TimerTask } from 'purgatory';

const MINUTE_MS = Number(process.env.MINUTE_MS ?? 60_000);
let failed;
const hasFailed = new Promise((resolve) => {
  failed = resolve;
});
const timer = new SystemTimer({
  onError(error) {
    console.log(`a run failed: ${error.message}`);
    failed();
  },
});

class Pause extends TimerTask {
  constructor(ms, resolve, reject) {
    super(ms);
    this.run = resolve;
    this.refuse = reject;
  }
}
const pause = (ms) => new Promise((resolve, reject) => timer.add(new Pause(ms, resolve, reject)));

async function retry(work, { attempts, firstMs }) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt === attempts) throw error;
      await pause(firstMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)); // not all at once
    }
  }
}

function shutDown() {
  timer.advanceClock(); // runs what is due
  for (const task of timer.close()) task.refuse?.(new Error('the process ends'));
}
process.on('SIGTERM', shutDown); // a second one changes nothing

// Retry with backoff.
const send = async (attempt) => {
  if (attempt < 3) throw new Error('503');
  return `sent at attempt ${attempt}`;
};
console.log(await retry(send, { attempts: 5, firstMs: 20 }));

// Every minute.
let runs = 0;
timer.scheduleAtFixedRate(async () => {
  console.log(`run ${++runs}`);
  await pause(1);
  if (runs === 2) throw new Error('no space left');
}, MINUTE_MS);
await hasFailed;

// Shutdown.
timer.schedule(() => console.log('what is due runs'), 0);
pause(60_000).catch((error) => console.log(`a pause: ${error.message}`));
shutDown();
await pause(1).catch((error) => console.log(error.code));

/* It prints

sent at attempt 3
run 1
run 2
a run failed: no space left
what is due runs
a pause: the process ends
ERR_PURGATORY_CLOSED
*/
