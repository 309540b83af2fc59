// What the broker's tests need and not every machine has.
import { execFileSync } from 'node:child_process';
import type { Need } from '../../../support/needs.ts';

/** `command` runs only where what it needs is there. */
function need(needs: string, [file, ...args]: readonly [file: string, ...args: string[]]): Need {
  const isThere = (): boolean => {
    try {
      execFileSync(file, args, { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  return { needs, isThere };
}

const PYTHON = '/usr/bin/python3';

export const programs = {
  kcat: need('kcat', ['kcat', '-V']),
  kafkaPython: need('python3-kafka', [PYTHON, '-c', 'import kafka']),
  confluentKafka: need('python3-confluent-kafka', [PYTHON, '-c', 'import confluent_kafka']),
  smallDisk: need('the right to mount a tmpfs', [
    'sh',
    '-c',
    'd=$(mktemp -d) && mount -t tmpfs -o size=64k none "$d" && umount "$d" && rmdir "$d"',
  ]),
} as const;
