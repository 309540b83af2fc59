/** Suites that need a program which not every machine has: they are skipped there, and a line says what is missing. */
import { execFileSync } from 'node:child_process';

interface Program {
  /** What runs only where it is installed. */
  readonly check: readonly [file: string, ...args: string[]];
  readonly debianPackage: string;
}

const PYTHON = '/usr/bin/python3';

export const programs = {
  kcat: { check: ['kcat', '-V'], debianPackage: 'kcat' },
  kafkaPython: { check: [PYTHON, '-c', 'import kafka'], debianPackage: 'python3-kafka' },
  confluentKafka: {
    check: [PYTHON, '-c', 'import confluent_kafka'],
    debianPackage: 'python3-confluent-kafka',
  },
  rdkafkaExample: {
    check: ['sh', '-c', 'cc --version && test -r /usr/share/doc/librdkafka-dev/examples/rdkafka_example.c'],
    debianPackage: 'librdkafka-dev, and gcc',
  },
} as const satisfies Record<string, Program>;

function isInstalled({ check: [file, ...args] }: Program): boolean {
  try {
    execFileSync(file, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** `describe`, or a skip in words where `program` is missing. */
export function describeWith(program: Program, title: string, suite: () => void): void {
  if (isInstalled(program)) {
    describe(title, suite);
    return;
  }
  const missing = `not installed here: ${program.check[0]} needs Debian's ${program.debianPackage}`;
  console.error(`SKIPPED  ${title}: ${missing}`);
  describe.skip(`${title} (skipped: ${missing})`, suite);
}
