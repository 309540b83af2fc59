// A transport of your own, and the cases that it must pass: docs/many-processes.md
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { transportConformance } from 'purgatory/bus/conformance';

const engine = new EventEmitter(); // for one process, and so for this page only

function emitterTransport() {
  let received;
  return {
    engine: 'emitter',
    connect(link) {
      received = (text) => setImmediate(link.received, text);
      engine.on('text', received);
      setImmediate(link.up); // the subscription is acknowledged
    },
    publish(text) {
      engine.emit('text', text);
    },
    disconnect() {
      if (received !== undefined) engine.off('text', received);
    },
  };
}

for (const { title, run } of transportConformance(emitterTransport)) test(title, run);
