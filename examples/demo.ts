// `npm run demo`: the broker against real clients. With `--workers N`: the long-poll chat as N
// processes, of which it kills some. With `--incident NAME`: what the inspector says of it.
const HELP = `npm run demo -- [options]

  --seconds N                        the broker against real clients for so long (5)
  --watch [--http PORT]              a load that goes on, for the inspector to show
  --workers N [--bus redis] [--readers N] [--seconds N]
                                     the long-poll chat as N processes, some of which it kills
  --incident NAME [--port PORT] [--seconds N]
                                     what the inspector says of it; for a name that is none, it lists the names
`;

const has = (option: string): boolean =>
  process.argv.slice(2).some((argument) => argument.startsWith(option));
if (has('--help')) console.log(HELP);
else if (has('--incident')) await import('../test/programs/incidents/play.ts');
else await import(has('--workers') ? './long-poll-http/demo.ts' : './broker/demo.ts');
