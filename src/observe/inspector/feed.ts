/// <reference types="node" preserve="true" />
// The stream of frames to the open pages: Server-Sent Events, at most four a second.
//
// Ground rules. It owns the connections of the watchers and the clock of the frames. While nobody
// watches, there is no clock, no frame is made and the recorder is stopped. So the stream costs
// nothing while nobody watches. A frame is made once for all watchers. A watcher whose connection
// has not taken the last frame yet misses this one. A frame that cannot be made ends the streams:
// the pages ask again, and get 500 until it can be made. Nothing here keeps the process alive.
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { Host } from './host.ts';
import type { Recorder } from './recorder.ts';
import { GUARDED } from './responses.ts';

/** Between two frames, in ms. */
export const FRAME_MS = 250;
/** The time after which a page that has lost the server tries again, in ms. */
const RETRY_MS = 1000;

/** No proxy may gather the frames. */
export const EVENTS_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  ...GUARDED,
  'x-accel-buffering': 'no',
};

export class Feed {
  readonly #host: Host;
  readonly #recorder: Recorder;
  readonly #report: (error: unknown) => void;
  readonly #watchers = new Set<ServerResponse>();
  #stopClock = (): void => {};

  constructor(host: Host, recorder: Recorder, report: (error: unknown) => void) {
    this.#host = host;
    this.#recorder = recorder;
    this.#report = report;
  }

  /**
   * Sends frames to `response` until its connection closes. A viewer who has gone already, perhaps
   * while a login of the user's was asked, gets none.
   *
   * @throws What the sources threw, before anything is sent.
   */
  watch(response: ServerResponse): void {
    if (hasClosed(response)) return;
    const isFirst = this.#watchers.size === 0;
    if (isFirst) this.#recorder.start();
    this.#watchers.add(response);
    try {
      const message = isFirst ? this.#message() : '';
      response.writeHead(200, EVENTS_HEADERS);
      response.write(`retry: ${RETRY_MS}\n\n${message}`);
    } catch (error) {
      this.#leave(response);
      throw error;
    }
    response.once('close', () => this.#leave(response));
    if (isFirst) this.#stopClock = this.#host.every(FRAME_MS, () => this.#send());
  }

  /** Ends every watcher's stream. */
  close(): void {
    for (const response of this.#watchers) {
      this.#leave(response);
      response.end();
    }
  }

  #message(): string {
    return `data: ${JSON.stringify(this.#recorder.frame())}\n\n`;
  }

  #send(): void {
    let message: string;
    try {
      message = this.#message();
    } catch (error) {
      this.#report(error);
      this.close();
      return;
    }
    for (const response of this.#watchers) {
      // Over HTTP/2, Node emits no 'close' for a stream that is reset without an error in mid-frame.
      if (hasClosed(response)) this.#leave(response);
      else if (!connectionOf(response).writableNeedDrain) response.write(message);
    }
  }

  #leave(response: ServerResponse): void {
    if (!this.#watchers.delete(response) || this.#watchers.size > 0) return;
    this.#stopClock();
    this.#recorder.stop();
  }
}

/** A response of HTTP/2 does not say whether it has closed, or takes no more: its stream does. */
function connectionOf(response: ServerResponse & { readonly stream?: Writable }): Writable {
  return response.stream ?? response;
}

function hasClosed(response: ServerResponse): boolean {
  const { destroyed, closed } = connectionOf(response);
  return destroyed || closed;
}
