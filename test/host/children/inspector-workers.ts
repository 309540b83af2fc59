// Two workers of a cluster, each with an inspector at the port of the argument. The second prints
// why not.
import cluster from 'node:cluster';
import { createInspector } from '../../../src/observe/inspector/index.ts';

const listens = (): Promise<unknown> =>
  createInspector({})
    .listen({ port: Number(process.argv[2]) })
    .then(String, ({ code }) => code);

if (cluster.isWorker) {
  listens().then((told) => process.send?.(told));
} else {
  const first = cluster.fork();
  first.once('message', () => {
    const second = cluster.fork();
    second.once('message', (told) => {
      console.log(told);
      first.kill();
      second.kill();
    });
  });
}
