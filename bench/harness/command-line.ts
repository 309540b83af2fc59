// The command line of a program of this repository. `--help` prints what the program takes, and ends
// it with 0. What it does not take is refused in one line, before anything is started, with 2.
import { type ParseArgsConfig, parseArgs } from 'node:util';

export function commandLine<const Config extends ParseArgsConfig>(
  help: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    console.log(help);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    // Node adds two sentences on arguments that begin with a dash.
    return refuse((error as Error).message.split('. ')[0]);
  }
}

export function refuse(text: string): never {
  console.error(`${text} (--help lists what there is)`);
  process.exit(2);
}

/** A whole number, from `min` on; `fallback` where the option is not given. */
export function integer<Fallback>(
  option: string,
  text: string | undefined,
  fallback: Fallback,
  min = 0,
): number | Fallback {
  if (text === undefined) return fallback;
  if (/^\d+$/.test(text) && Number(text) >= min) return Number(text);
  return refuse(`--${option} takes a whole number from ${min} on, not ${JSON.stringify(text)}`);
}
