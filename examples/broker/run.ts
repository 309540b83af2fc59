/** Runs the broker, or a cluster of them, until SIGINT or SIGTERM. */
import { Broker } from './broker.ts';
import { describeOptions } from './help.ts';
import { Launcher, type NodeReady } from './launcher.ts';
import { LimitedLog } from './log-lines.ts';
import { type BrokerOptions, parsedOrEnd, parseOptions } from './options.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { temporaryFolder } from './storage/temporary-folder.ts';

/** As `--data`: each node has a folder of its own, which is removed when the node stops. */
const TEMPORARY = 'memory';

async function main(): Promise<void> {
  if (process.argv.some((arg) => arg === '--help' || arg === '-h')) return console.log(describeOptions());
  const options = parsedOrEnd(parseOptions);
  if (options.nodes > 1 && options.node === undefined) await runCluster(options);
  else await runNode(options);
}

async function runNode(options: BrokerOptions): Promise<void> {
  const limited = new LimitedLog(console.error);
  process.once('exit', () => limited.flush());
  const data = options.data === TEMPORARY ? temporaryFolder() : options.data;
  const broker = new Broker({ ...options, data }, limited.log);
  const stop = () => void broker.stop().catch(fail);
  // The launcher's channel closes when the launcher wants it to, and when it dies.
  process.once('disconnect', stop);
  const ready = await broker.start();
  stopOnSignal(() => {
    if (process.connected) process.disconnect();
    stop();
  });
  process.send?.(ready);
  announce([ready]);
}

async function runCluster(options: BrokerOptions): Promise<void> {
  const launcher = new Launcher(options, console.error);
  stopOnSignal(() => launcher.stop());
  const nodes = await launcher.start();
  announce(nodes);
  for (const [id, { pid }] of nodes.entries())
    console.log(`node ${id}    process ${pid}; back after a kill with the same options and --node ${id}`);
}

function announce(nodes: readonly NodeReady[]): void {
  for (const { port } of nodes) console.log(`ready 127.0.0.1:${port}`);
  const [{ port, http }] = nodes;
  console.log(`
produce   kcat -b 127.0.0.1:${port} -P -t greetings
consume   kcat -b 127.0.0.1:${port} -C -t greetings
kafkajs   new Kafka({ brokers: ['127.0.0.1:${port}'] })
watch     http://127.0.0.1:${http}/
status    http://127.0.0.1:${http}/status
stop      Ctrl-C`);
}

function fail(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
  if (process.connected) process.disconnect();
}

main().catch(fail);
