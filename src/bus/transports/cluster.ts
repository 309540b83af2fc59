// `purgatory/bus/cluster`: a bus between the workers of node:cluster. The primary relays. No server
// is needed.
import cluster from 'node:cluster';
import { noRelay } from '../../errors.ts';
import { type Bus, type BusOptions, checkedBusOptions } from '../bus.ts';
import { createBus } from '../hint-bus.ts';
import type { Transport } from '../transport.ts';
import { isRelayMessage, type RelayMessage } from './cluster-relay.ts';

export { type Relay, relayBus } from './cluster-relay.ts';

/** How long the primary may take to answer, in ms. */
const WELCOME_MS = 3_000;

let lines = 0;

/**
 * A bus between the workers of node:cluster. Call it in each worker. The primary calls
 * {@link relayBus}.
 *
 * While the primary does not relay, the bus stays `connecting` and reports ERR_PURGATORY_NO_RELAY.
 *
 * @throws PurgatoryError ERR_PURGATORY_NO_RELAY: this is not a worker.
 * @throws TypeError, RangeError (Node's codes) for a bad option.
 */
export function clusterBus(options?: BusOptions): Bus {
  if (!cluster.isWorker) {
    throw noRelay('clusterBus() belongs in workers of node:cluster; the primary calls relayBus()');
  }
  const { prefix } = checkedBusOptions(options);
  return createBus(clusterTransport(prefix), options);
}

/** The transport alone: for the conformance suite. Only in a worker. */
export function clusterTransport(prefix: string): Transport {
  const line = lines++;
  let end: (() => void) | undefined;
  const say = (purgatoryRelay: RelayMessage['purgatoryRelay'], text?: string): Promise<void> =>
    new Promise((resolve, reject) => {
      if (!process.connected) throw new Error('The primary has gone');
      process.send?.(
        { purgatoryRelay, prefix, line, text } satisfies RelayMessage,
        undefined,
        undefined,
        (error) => {
          if (error === null) resolve();
          else reject(error);
        },
      );
    });
  return {
    engine: 'cluster',
    connect(link) {
      const noAnswer = setTimeout(() => {
        link.down(noRelay('The primary does not relay: call relayBus() of purgatory/bus/cluster there'));
      }, WELCOME_MS).unref();
      const receive = (message: unknown): void => {
        if (!isRelayMessage(message) || message.prefix !== prefix || message.line !== line) return;
        clearTimeout(noAnswer);
        if (message.purgatoryRelay === 'welcome') link.up();
        else for (const text of message.texts ?? []) link.received(text);
      };
      const gone = (): void => link.down(new Error('The primary has gone'));
      process.on('message', receive);
      process.on('disconnect', gone);
      end = () => {
        clearTimeout(noAnswer);
        process.off('message', receive);
        process.off('disconnect', gone);
      };
      say('hello').catch(link.down);
    },
    publish(text) {
      return say('text', text);
    },
    disconnect() {
      if (end === undefined) return undefined;
      end();
      end = undefined;
      return say('goodbye');
    },
  };
}
