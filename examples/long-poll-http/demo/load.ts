// Readers that each follow a room by long polls, and a writer. They record what is posted, when it
// arrives, and what never arrives.
//
// Ground rules. A reader asks from where its last answer ended. So it misses nothing, whichever
// process dies. A request that fails is made again. So is a request without an answer by its
// deadline, because a connection that node:cluster was handing to a worker when that was killed
// hangs for ever. A message that the chat has accepted (201) must arrive at every reader of its
// room. One clock serves both ends, so latencies are true.
import { setTimeout as sleep } from 'node:timers/promises';
import { timeoutSignal } from 'purgatory/timers';

interface Message {
  readonly id: number;
  readonly text: string;
}

const ROOMS = 20;
const POST_EVERY_MS = 20;
const RETRY_MS = 100;
/** Short, so that the end of the demo does not wait for it. */
const WAIT_MS = 3_000;
const GRACE_MS = 1_000;

export class Load {
  readonly #url: string;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  /** Ids that the chat has accepted, by room. */
  readonly #posted = new Map<string, number[]>();
  readonly #readers: { readonly room: string; readonly seen: Set<number> }[] = [];
  #latenciesMs: number[] = [];
  /** Requests that failed and were made again. */
  failures = 0;
  answers = 0;
  posts = 0;
  #isWriting = true;

  constructor(url: string, readers: number) {
    this.#url = url;
    for (let i = 0; i < readers; i++) this.#readers.push({ room: `room ${i % ROOMS}`, seen: new Set() });
    for (const { room, seen } of this.#readers) this.#running.push(this.#read(room, seen));
    this.#running.push(this.#write(Math.min(ROOMS, readers)));
  }

  /**
   * From post to answer, for the answers since the last call: [p50, p99] in ms. Undefined where
   * there were none.
   */
  latencies(): [number, number] | undefined {
    const sorted = this.#latenciesMs.sort((x, y) => x - y);
    this.#latenciesMs = [];
    if (sorted.length === 0) return undefined;
    return [sorted[Math.floor(sorted.length / 2)], sorted[Math.floor(sorted.length * 0.99)]];
  }

  /**
   * Messages that the chat has accepted and that a reader of their room has not got. Each counts
   * once for each such reader.
   */
  missing(): number {
    let missing = 0;
    for (const { room, seen } of this.#readers) {
      for (const id of this.#posted.get(room) ?? []) if (!seen.has(id)) missing++;
    }
    return missing;
  }

  /** Stops posting, waits up to `ms` for what is still to arrive, and ends. */
  async end(ms: number): Promise<void> {
    this.#isWriting = false;
    const endMs = performance.now() + ms;
    while (this.missing() > 0 && performance.now() < endMs) await sleep(20);
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  async #read(room: string, seen: Set<number>): Promise<void> {
    let after = 0;
    while (!this.#stop.signal.aborted) {
      const query = new URLSearchParams({ room, after: `${after}`, wait: `${WAIT_MS}` });
      const answer = await this.#ask<{ messages: Message[]; next: number }>(`/messages?${query}`);
      if (answer === undefined) continue;
      const nowMs = performance.now();
      this.answers++;
      after = answer.next;
      for (const { id, text } of answer.messages) {
        seen.add(id);
        this.#latenciesMs.push(nowMs - Number(text));
      }
    }
  }

  async #write(rooms: number): Promise<void> {
    while (this.#isWriting) {
      await sleep(POST_EVERY_MS);
      const room = `room ${Math.floor(Math.random() * rooms)}`;
      const body = JSON.stringify({ room, author: 'demo', text: `${performance.now()}` });
      const message = await this.#ask<Message>('/messages', { method: 'POST', body });
      if (message === undefined) continue;
      this.posts++;
      const posted = this.#posted.get(room);
      if (posted === undefined) this.#posted.set(room, [message.id]);
      else posted.push(message.id);
    }
  }

  /** Undefined when it failed, after a pause. */
  async #ask<T>(path: string, init: RequestInit = {}): Promise<T | undefined> {
    // Ended with the request. A thousand of them leave nothing on the one signal that stops all.
    using signal = timeoutSignal(WAIT_MS + GRACE_MS, { signal: this.#stop.signal });
    try {
      const response = await fetch(`${this.#url}${path}`, { ...init, signal });
      if (response.ok) return (await response.json()) as T;
      await response.arrayBuffer();
    } catch {
      // The process at the other end is gone. Another one answers the next time.
    }
    if (this.#stop.signal.aborted) return undefined;
    this.failures++;
    await sleep(RETRY_MS);
    return undefined;
  }
}
