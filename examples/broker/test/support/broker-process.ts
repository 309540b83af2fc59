import { bundled } from './bundled.ts';
import { Program } from './program.ts';

/** A broker in a process of its own, which can be killed and stopped. */
export class BrokerProcess extends Program {
  /** The ports that it said are ready. */
  ports: readonly number[] = [];

  /** What it has logged, but for what it finds after the SIGKILL of a process before it. */
  get complaints(): string[] {
    const found = /^cut a torn end of .*|^.* is not as a clean stop leaves it, and has .*/;
    return this.stderr.split('\n').filter((line) => line !== '' && !found.test(line));
  }

  /**
   * Runs main.ts; resolves when it has said `ready` that many times. `variables` are added to its
   * environment.
   */
  static async start(
    args: readonly string[],
    readyLines = 1,
    variables: NodeJS.ProcessEnv = {},
  ): Promise<BrokerProcess> {
    const main = await bundled('main.ts');
    const started = new BrokerProcess(process.execPath, [main, ...args], variables);
    const ready = await started.printed(/^ready 127\.0\.0\.1:(\d+)$/, readyLines);
    started.ports = ready.map(([, port]) => Number(port));
    return started;
  }
}
