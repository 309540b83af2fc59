// The stream of frames to those who watch: Server-Sent Events, at most four a second.
//
// Ground rules. It owns the connections of the watchers and the clock of the frames. While nobody
// watches, there is no clock, no frame is made and the recorder is stopped. So the stream costs
// nothing while nobody watches. A frame is made once for all watchers. A watcher whose connection
// has not taken the last frame yet misses this one. Nothing here keeps the process alive.
import type { ServerResponse } from 'node:http';
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
  readonly #recorder: Recorder;
  readonly #watchers = new Set<ServerResponse>();
  #clock: NodeJS.Timeout | undefined;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  /** Sends frames to `response` until its connection closes. */
  watch(response: ServerResponse): void {
    response.writeHead(200, EVENTS_HEADERS);
    response.write(`retry: ${RETRY_MS}\n\n`);
    this.#watchers.add(response);
    response.once('close', () => this.#leave(response));
    if (this.#clock !== undefined) return;
    this.#recorder.start();
    this.#clock = setInterval(() => this.#send(), FRAME_MS).unref();
    this.#send();
  }

  /** Ends every watcher's stream. */
  close(): void {
    for (const response of this.#watchers) {
      this.#leave(response);
      response.end();
    }
  }

  #send(): void {
    const message = `data: ${JSON.stringify(this.#recorder.frame())}\n\n`;
    for (const response of this.#watchers) {
      if (!response.writableNeedDrain) response.write(message);
    }
  }

  #leave(response: ServerResponse): void {
    if (!this.#watchers.delete(response) || this.#watchers.size > 0) return;
    clearInterval(this.#clock);
    this.#clock = undefined;
    this.#recorder.stop();
  }
}
