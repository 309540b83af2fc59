/** `npm start`: runs the broker until SIGINT or SIGTERM. */
import { Broker } from './broker.ts';
import { parseOptions } from './options.ts';

const ORPHAN_CHECK_MS = 100;

async function main(): Promise<void> {
  const broker = new Broker(parseOptions(process.argv.slice(2)));
  const { port, http } = await broker.start();
  stopOnSignal(() => void broker.stop().catch(fail));
  console.log(`ready 127.0.0.1:${port}`);
  console.log(`
produce   kcat -b 127.0.0.1:${port} -P -t greetings
consume   kcat -b 127.0.0.1:${port} -C -t greetings
kafkajs   new Kafka({ brokers: ['127.0.0.1:${port}'] })
status    http://127.0.0.1:${http}/status
stop      Ctrl-C`);
}

/** The first signal stops the broker; a second one finds the default again and ends the process at once. */
function stopOnSignal(stop: () => void): void {
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  if (process.env.npm_lifecycle_event === undefined) return;
  // npm runs scripts through a shell, which dies of npm's SIGTERM and passes nothing on: what is left is an orphan.
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    stop();
  }, ORPHAN_CHECK_MS);
  watch.unref();
}

function fail(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

main().catch(fail);
