// An idempotent producer with acks=all. It sends one record after the other to one partition, and
// repeats each until it is acknowledged, whatever happens to the broker meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import { ErrorCode } from '../../../../examples/broker/protocol/error-codes.ts';
import { makeBatch } from '../../../examples/broker/support/batches.ts';
import { produceRequest, WireClient } from '../../../examples/broker/support/wire-client.ts';

export class Writer {
  /** The number of acknowledged records. Their numbers are below it. */
  acknowledged = 0;
  /** Answers by their error codes. */
  readonly refusals = new Map<number, number>();
  readonly #port: () => number;
  readonly #partition: number;
  readonly #bytes: number;
  #client: WireClient | undefined;
  #isStopped = false;

  /** @param port the port of the present broker. @param bytes the least size of a record. */
  constructor(port: () => number, partition: number, bytes = 0) {
    this.#port = port;
    this.#partition = partition;
    this.#bytes = bytes;
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      this.#client = await WireClient.connect(this.#port()).catch(() => undefined);
      if (this.#client !== undefined) await Promise.race([this.#write(this.#client), this.#client.closed()]);
      this.#client?.destroy();
      await pause(5);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #write(client: WireClient): Promise<void> {
    while (!this.#isStopped) {
      const sequence = this.acknowledged;
      const producer = { id: 1_000_000 + this.#partition, epoch: 0, sequence };
      const batch = makeBatch([`<${sequence}>${'x'.repeat(this.#bytes)}`], [], producer);
      const { responses } = await client.send('Produce', 8, produceRequest('t', this.#partition, -1, batch));
      const { errorCode, baseOffset } = responses[0].partitionResponses[0];
      if (client !== this.#client) return;
      if (errorCode === ErrorCode.NONE) {
        if (Number(baseOffset) !== sequence)
          throw new Error(
            `record ${sequence} of partition ${this.#partition} was told the offset ${baseOffset}`,
          );
        this.acknowledged++;
      } else {
        this.refusals.set(errorCode, (this.refusals.get(errorCode) ?? 0) + 1);
        await pause(5);
      }
    }
  }
}
