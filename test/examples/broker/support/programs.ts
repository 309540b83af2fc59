/**
 * Suites that need what not every machine has: they are skipped there, and a line says what is
 * missing.
 */
import { execFileSync } from 'node:child_process';

interface Need {
  /** What runs only where it is there. */
  readonly check: readonly [file: string, ...args: string[]];
  /** What has to be there for that. */
  readonly needs: string;
}

const PYTHON = '/usr/bin/python3';

export const programs = {
  kcat: { check: ['kcat', '-V'], needs: "Debian's kcat" },
  kafkaPython: { check: [PYTHON, '-c', 'import kafka'], needs: "Debian's python3-kafka" },
  confluentKafka: {
    check: [PYTHON, '-c', 'import confluent_kafka'],
    needs: "Debian's python3-confluent-kafka",
  },
  rdkafkaExample: {
    check: ['sh', '-c', 'cc --version && test -r /usr/share/doc/librdkafka-dev/examples/rdkafka_example.c'],
    needs: "Debian's librdkafka-dev and gcc",
  },
  smallDisk: {
    check: [
      'sh',
      '-c',
      'd=$(mktemp -d) && mount -t tmpfs -o size=64k none "$d" && umount "$d" && rmdir "$d"',
    ],
    needs: 'the right to mount a tmpfs',
  },
} as const satisfies Record<string, Need>;

function isThere({ check: [file, ...args] }: Need): boolean {
  try {
    execFileSync(file, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** `describe`, or a skip in words where `need` is not met. */
export function describeWith(need: Need, title: string, suite: (this: Mocha.Suite) => void): void {
  if (isThere(need)) {
    describe(title, suite);
    return;
  }
  const missing = `it needs ${need.needs}`;
  console.error(`SKIPPED  ${title}: ${missing}`);
  describe.skip(`${title} (skipped: ${missing})`, suite);
}
