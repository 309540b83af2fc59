// A member that is a worker thread, with the part of a worker of node:cluster that a fleet uses.

import type { Worker as Process } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Starts the program `file` with `argv` in a thread. */
export function startThread(file: URL, argv: readonly string[]): Process {
  // A thread does not inherit the loader of TypeScript.
  const loader = new URL('../../host/bus/children/typescript.mjs', import.meta.url);
  const thread = new Worker(loader, { workerData: file.href, argv: [...argv] });
  const member = new EventEmitter();
  thread.on('message', (message) => member.emit('message', message));
  thread.on('exit', (code) => member.emit('exit', code));
  return Object.assign(member, { send: (message: unknown) => thread.postMessage(message) }) as never;
}
