// Loaded before the pure tests: a process, a worker or a socket throws, and says where such a test
// belongs. A test that waits for something outside of itself can be red because the machine is slow.
//
// Mocha loads this file before TypeScript is known, so it has no types.
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import workerThreads from 'node:worker_threads';

const PLACES = 'test/host (processes, workers, real time) or test/engines (sockets, engines, a browser)';

export const mochaHooks = {
  beforeAll() {
    for (const [owner, ...names] of [
      [childProcess, 'spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'],
      [workerThreads, 'Worker'],
      [net.Server.prototype, 'listen'],
      [net.Socket.prototype, 'connect'],
    ]) {
      for (const name of names) {
        const refuse = function () {
          const call = `${new.target ? 'new ' : ''}${name}()`;
          throw new Error(`${call} in a pure test: it belongs into ${PLACES}`);
        };
        Object.assign(owner, { [`${name}`]: refuse });
      }
    }
    syncBuiltinESMExports();
  },
};
