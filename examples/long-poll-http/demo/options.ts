// The command line of the demo, checked before anything is started.
import { parseArgs } from 'node:util';
import { integer, Unusable } from '../../workers/command-line.ts';

export const OWN_ENGINES = ['redis', 'nats', 'postgres'] as const;
export type OwnEngine = (typeof OWN_ENGINES)[number];

export interface DemoOptions {
  readonly workers: number;
  /**
   * An engine that the demo starts, kills and starts again; or the URL of one that it leaves alone;
   * or none.
   */
  readonly bus: OwnEngine | { readonly url: string } | undefined;
  readonly seconds: number;
  readonly readers: number;
}

/** @throws Unusable. */
export function parseDemoOptions(args: readonly string[]): DemoOptions {
  const { workers, bus, seconds, readers } = parsed(args);
  return {
    workers: integer('--workers', workers, 4, 1, 16),
    seconds: integer('--seconds', seconds, 20, 6, 3_600),
    readers: integer('--readers', readers, 300, 1, 10_000),
    bus: engine(bus),
  };
}

function parsed(args: readonly string[]): {
  workers?: string;
  bus?: string;
  seconds?: string;
  readers?: string;
} {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: { workers: text, bus: text, seconds: text, readers: text },
    }).values;
  } catch (error) {
    throw new Unusable((error as Error).message);
  }
}

function engine(text: string | undefined): DemoOptions['bus'] {
  if (text === undefined) return undefined;
  if (OWN_ENGINES.includes(text as OwnEngine)) return text as OwnEngine;
  if (URL.canParse(text)) return { url: text };
  const known = OWN_ENGINES.join(', ');
  throw new Unusable(`--bus must be a URL, or one of ${known}, and not ${JSON.stringify(text)}.`);
}
