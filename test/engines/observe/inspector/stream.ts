// Reads the inspector's stream of frames as a page does, without a browser.

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Frame } from '../../../../src/observe/inspector/frame.ts';

export class Watcher implements AsyncDisposable {
  readonly response: IncomingMessage;
  readonly #frames: Frame[] = [];
  #wake = (): void => {};
  #rest = '';

  private constructor(response: IncomingMessage) {
    this.response = response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      const messages = (this.#rest + chunk).split('\n\n');
      this.#rest = messages.pop() as string;
      for (const message of messages) {
        if (message.startsWith('data: ')) this.#frames.push(JSON.parse(message.slice(6)));
      }
      this.#wake();
    });
  }

  static async open(url: URL): Promise<Watcher> {
    const [response] = await once(get(new URL('events', url), { agent: false }), 'response');
    return new Watcher(response);
  }

  /** The next frame for which `holds`; those before it are dropped. */
  async next(holds: (frame: Frame) => boolean = () => true): Promise<Frame> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame !== undefined) {
        if (holds(frame)) return frame;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  /** Leaves; resolves once the connection is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.response.closed) return;
    this.response.destroy();
    await once(this.response, 'close');
  }
}
