// Loads a TypeScript file in a worker thread, which does not inherit the loader of its parent.
import { workerData } from 'node:worker_threads';
import { register } from 'tsx/esm/api';

register();
await import(workerData);
