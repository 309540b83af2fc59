// What the tests need and not every machine has: where it is missing, they are skipped, and their
// titles say why.
import { execFileSync } from 'node:child_process';
import type { Suite } from 'mocha';

/** Whether this is the full run, with its longer loads: that of `.ci/run`. */
export const isFull = process.env.PURGATORY_TESTS === 'full';

export interface Need {
  readonly needs: string;
  /** Ends with 0 where it is there. */
  readonly command: readonly [file: string, ...args: string[]];
}

const PYTHON = '/usr/bin/python3';
const MOUNT = 'd=$(mktemp -d) && mount -t tmpfs -o size=64k none "$d" && umount "$d" && rmdir "$d"';

export const programs = {
  kcat: { needs: 'kcat', command: ['kcat', '-V'] },
  kafkaPython: { needs: 'python3-kafka', command: [PYTHON, '-c', 'import kafka'] },
  confluentKafka: { needs: 'python3-confluent-kafka', command: [PYTHON, '-c', 'import confluent_kafka'] },
  smallDisk: { needs: 'the right to mount a tmpfs', command: ['sh', '-c', MOUNT] },
} as const satisfies Record<string, Need>;

export function describeWith({ needs, command }: Need, title: string, suite: (this: Suite) => void): void {
  const [file, ...args] = command;
  try {
    execFileSync(file, args, { stdio: 'ignore' });
  } catch {
    describe.skip(`${title} (skipped: needs ${needs})`, suite);
    return;
  }
  describe(title, suite);
}
