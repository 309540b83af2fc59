// `npm run demo`: the broker against real clients. With `--workers N`: the long-poll chat as N
// processes, of which it kills some. With `--incident NAME`: what the inspector says of it.
const has = (option: string): boolean =>
  process.argv.slice(2).some((argument) => argument.startsWith(option));
if (has('--incident')) await import('../test/programs/incidents/play.ts');
else await import(has('--workers') ? './long-poll-http/demo.ts' : './broker/demo.ts');
