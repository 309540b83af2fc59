// `npm run demo -- --incident NAME`: plays an incident for real, so that anyone can see what the
// page of the inspector says of it. It prints each new headline, until Ctrl-C.
//
//   --port 7070    of the page. Default: a free one
//   --seconds 90   ends the incident after so long, and the program soon after
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { integer, Unusable } from '../../../examples/workers/command-line.ts';
import { host } from '../../../src/observe/inspector/host.ts';
import { createInspector } from '../../../src/observe/inspector/index.ts';
import { INCIDENTS, type Incident } from './incidents.ts';
import { Observer } from './observer.ts';
import { HOUR_MS, World } from './world.ts';

/** What the page goes on saying after the end. */
const AFTER_S = 5;

interface Options {
  readonly incident: Incident;
  readonly port: number;
  /** Infinity: until Ctrl-C. */
  readonly seconds: number;
}

async function play({ incident, port, seconds }: Options): Promise<void> {
  const world = new World({ block: spin, spend: spin, reaches: async () => {} }, 20_000);
  await using inspector = createInspector({ purgatories: () => world.purgatories });
  const observer = new Observer(host, () => world.purgatories);
  console.log(`The page says it at ${await inspector.listen({ port })}`);
  let said = '';
  const tells = host.every(250, () => {
    const { headline, detail } = observer.verdict();
    if (headline !== said) console.log(`${new Date().toTimeString().slice(0, 8)}  ${headline}. ${detail}`);
    said = headline;
  });
  await sleep(3_000);
  console.log(`-- ${incident.what}`);
  const stop = host.every(1_000, () => incident.each?.(world));
  const end = await incident.begin(world);
  await sleep(Math.min(1_000 * seconds, HOUR_MS));
  stop();
  end();
  console.log('-- it is over');
  await sleep(1_000 * AFTER_S);
  tells();
  observer.close();
  await world.close();
}

function spin(ms: number): void {
  for (const untilMs = performance.now() + ms; performance.now() < untilMs; );
}

/** @throws Unusable. */
function parsed(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  let given: { incident?: string; port?: string; seconds?: string };
  try {
    given = parseArgs({ args: [...args], options: { incident: text, port: text, seconds: text } }).values;
  } catch (error) {
    throw new Unusable((error as Error).message);
  }
  const incident = INCIDENTS[given.incident ?? ''];
  if (incident === undefined) {
    const all = Object.entries(INCIDENTS).map(([name, { what }]) => `\n  ${name.padEnd(12)}${what}`);
    throw new Unusable(
      `--incident must be one of these, and not ${JSON.stringify(given.incident)}:${all.join('')}`,
    );
  }
  return {
    incident,
    port: integer('--port', given.port, 0, 0, 65_535),
    seconds: given.seconds === undefined ? Infinity : integer('--seconds', given.seconds, 0, 1, 3_600),
  };
}

try {
  await play(parsed(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Unusable ? error.message : error);
  process.exitCode = error instanceof Unusable ? 2 : 1;
}
