// [port] [--workers N] [--bus URL] [--inspect]: checked before anything is started.
import { parseArgs } from 'node:util';

/**
 * The command line, or something that it names, cannot be used. The text says why, in a sentence
 * for the person who typed it.
 */
export class Unusable extends Error {}

export interface CommandLine {
  readonly port: number;
  /** 0: this process alone. */
  readonly workers: number;
  /** Undefined: no engine besides Node. */
  readonly bus: URL | undefined;
  /** Each process serves the inspector, on a port of its own. */
  readonly inspect: boolean;
}

const MAX_WORKERS = 64;
const ENGINES = ['redis:', 'rediss:', 'nats:', 'postgres:', 'postgresql:'];

/** @throws Unusable. */
export function parseCommandLine(args: readonly string[], defaultPort: number): CommandLine {
  const { values, positionals } = parsed(args);
  if (positionals.length > 1) throw new Unusable(`There is one port, and not ${positionals.join(' and ')}.`);
  return {
    port: integer('The port', positionals[0], defaultPort, 0, 65_535),
    workers: integer('--workers', values.workers, 0, 0, MAX_WORKERS),
    bus: engineUrl(values.bus),
    inspect: values.inspect === true,
  };
}

function parsed(args: readonly string[]): {
  values: { workers?: string; bus?: string; inspect?: boolean };
  positionals: string[];
} {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { workers: { type: 'string' }, bus: { type: 'string' }, inspect: { type: 'boolean' } },
    });
  } catch (error) {
    throw new Unusable((error as Error).message);
  }
}

/** @throws Unusable. */
export function integer(
  name: string,
  text: string | undefined,
  fallback: number,
  min: number,
  max: number,
): number {
  if (text === undefined) return fallback;
  if (/^\d{1,6}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new Unusable(
    `${name} must be a whole number from ${min} to ${max}, and not ${JSON.stringify(text)}.`,
  );
}

function engineUrl(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  if (URL.canParse(text) && ENGINES.includes(new URL(text).protocol)) return new URL(text);
  const known = ENGINES.map((protocol) => `${protocol}//...`).join(', ');
  throw new Unusable(`--bus must be one of ${known}, and not ${JSON.stringify(text)}.`);
}
