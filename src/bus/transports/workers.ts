// `purgatory/bus/workers`: a bus between the worker threads of one process, by BroadcastChannel. No
// server is needed.
//
// Ground rules. A BroadcastChannel does not receive its own messages. So the bus has two: one
// sends, the other listens. Neither keeps a thread alive.
import { BroadcastChannel } from 'node:worker_threads';
import { createBus } from '../bus.ts';
import { type Bus, type BusOptions, checkedBusOptions } from '../bus-options.ts';
import type { Transport } from '../transport.ts';

/**
 * A bus between the main thread and the worker threads of this process. Call it in each thread.
 *
 * @throws TypeError, RangeError (Node's codes) for a bad option.
 */
export function workersBus(options?: BusOptions): Bus {
  const { prefix } = checkedBusOptions(options);
  return createBus(workersTransport(prefix), options);
}

/** The transport alone: for the conformance suite. */
export function workersTransport(prefix: string): Transport {
  let mouth: BroadcastChannel | undefined;
  let ear: BroadcastChannel | undefined;
  return {
    engine: 'workers',
    connect(link) {
      mouth = new BroadcastChannel(`purgatory:${prefix}`);
      ear = new BroadcastChannel(`purgatory:${prefix}`);
      ear.onmessage = (event: unknown) => link.received((event as { data: string }).data);
      mouth.unref();
      ear.unref();
      link.up();
    },
    publish(text) {
      mouth?.postMessage(text);
      return undefined;
    },
    disconnect() {
      mouth?.close();
      ear?.close();
      return undefined;
    },
  };
}
