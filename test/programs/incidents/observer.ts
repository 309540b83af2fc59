// What the page says, without a browser: the recorder of the server, and the rules of the page.
import type { Frame } from '../../../src/observe/inspector/frame.ts';
import type { Host } from '../../../src/observe/inspector/host.ts';
import { Lookup } from '../../../src/observe/inspector/lookup.ts';
import { incidentsOf, judge } from '../../../src/observe/inspector/page/data/judge.ts';
import { Recorder } from '../../../src/observe/inspector/recorder.ts';
import { SecondRecorder } from '../../../src/observe/inspector/second-recorder.ts';
import { LiveSources } from '../../../src/observe/live-sources.ts';
import type { ObservedPurgatory } from '../../../src/observe/sources.ts';

const MAX_FRAMES = 41;

export class Observer {
  readonly #recorder: Recorder;
  #frames: readonly Frame[] = [];

  constructor(host: Host, purgatories: () => Iterable<ObservedPurgatory>) {
    const shown = new LiveSources({ purgatories, timers: [], buses: [] });
    const seconds = new SecondRecorder(host, shown, (error) => {
      throw error;
    });
    this.#recorder = new Recorder(host, shown, seconds, new Lookup(host, shown));
    this.#recorder.start();
  }

  /** The page has been opened anew, and knows what the server has kept. */
  open(): void {
    this.#frames = [];
  }

  /** What it says of the present. */
  verdict(): { readonly headline: string; readonly detail: string; readonly rules: string[] } {
    this.#frames = [...this.#frames.slice(1 - MAX_FRAMES), this.#recorder.frame()];
    const { seconds } = this.#recorder.history();
    const verdict = judge({ frames: this.#frames, seconds: [...seconds], silence: undefined });
    const rules = verdict.warnings.map(({ rule }) => rule);
    return { headline: plain(verdict.headline), detail: plain(verdict.detail), rules };
  }

  /** The rules of the incidents of the last ten minutes. */
  incidents(): string[] {
    return incidentsOf([...this.#recorder.history().seconds]).map(({ rule }) => rule);
  }

  close(): void {
    this.#recorder.stop();
  }
}

/** As a person reads it: without the marks of direction, and with plain spaces. */
export function plain(text: string): string {
  return text.replaceAll(/[\u2068\u2069]/g, '').replaceAll('\u00a0', ' ');
}
