import { EventEmitter } from 'node:events';
import type { Transport } from 'purgatory/bus';
import { transportConformance } from 'purgatory/bus/conformance';

const engine = new EventEmitter();

/** A transport whose engine is an EventEmitter: for one process, and so for this page only. */
function emitterTransport(): Transport {
  let listener: ((text: string) => void) | undefined;
  return {
    engine: 'emitter',
    connect(link) {
      listener = (text) => setImmediate(link.received, text);
      engine.on('text', listener);
      setImmediate(link.up);
    },
    publish(text) {
      engine.emit('text', text);
      return undefined;
    },
    disconnect() {
      if (listener !== undefined) engine.off('text', listener);
      return undefined;
    },
  };
}

const cases = transportConformance(emitterTransport);
for (const { run } of cases) await run(); // in a test runner: it(title, run)
console.log(cases.length > 3); // true
