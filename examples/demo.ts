// `npm run demo`: the broker against real clients. With `--workers N`: the long-poll chat as N
// processes, of which it kills some.
const isOfWorkers = process.argv.slice(2).some((argument) => argument.startsWith('--workers'));
await import(isOfWorkers ? './long-poll-http/demo.ts' : './broker/demo.ts');
