// Bundled by half-fakes.test.ts: the parts of the library that wait.
export * from '../../../src/index.ts';
export * from '../../../src/waits/idle/index.ts';
export { setTimeout } from '../../../src/waits/timers/index.ts';
