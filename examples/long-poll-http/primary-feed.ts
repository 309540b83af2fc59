// The feed in the primary's memory, which workers ask over IPC.
//
// Ground rules. Each question has a number, and its answer has the same number. `Replies` matches
// them, and drops questions whose answers do not come. The primary serves one question at a time,
// in the order in which they arrive.
import cluster from 'node:cluster';
import { Replies } from 'purgatory/replies';
import { Refused } from '../workers/json-server.ts';
import type { Feed, Message, News } from './feed.ts';
import type { Post } from './requests.ts';

interface Question {
  readonly feedQuestion: number;
  readonly append?: Post;
  readonly after?: { readonly rooms: readonly string[]; readonly id: number };
}

interface Answer {
  readonly feedAnswer: number;
  readonly value?: Message | News;
  readonly error?: { readonly status: number; readonly message: string };
}

const ANSWER_MS = 5_000;

/** In the primary: answers the workers from `feed`. */
export function shareFeed(feed: Feed): void {
  cluster.on('message', async (worker, question: Question) => {
    if (question?.feedQuestion === undefined) return;
    const answer = await answerTo(feed, question);
    if (worker.isConnected()) worker.send(answer);
  });
}

async function answerTo(feed: Feed, { feedQuestion: feedAnswer, append, after }: Question): Promise<Answer> {
  try {
    if (append !== undefined) return { feedAnswer, value: await feed.append(append) };
    const { rooms, id } = after ?? { rooms: [], id: 0 };
    return { feedAnswer, value: await feed.after(rooms, id, { signal: new AbortController().signal }) };
  } catch (error) {
    const { status = 500, message } = error as Refused;
    return { feedAnswer, error: { status, message } };
  }
}

/** In a worker: the feed of its primary. */
export class PrimaryFeed implements Feed {
  readonly #replies = new Replies<number, Message | News>('primary');
  #lastQuestion = 0;

  constructor() {
    process.on('message', ({ feedAnswer, value, error }: Partial<Answer>) => {
      if (feedAnswer === undefined) return;
      if (value !== undefined) this.#replies.resolve(feedAnswer, value);
      else this.#replies.reject(feedAnswer, new Refused(error?.status ?? 500, error?.message ?? ''));
    });
  }

  append(post: Post): Promise<Message> {
    return this.#ask({ append: post }) as Promise<Message>;
  }

  after(rooms: readonly string[], id: number, { signal }: { signal: AbortSignal }): Promise<News> {
    return this.#ask({ after: { rooms, id } }, signal) as Promise<News>;
  }

  #ask(question: Omit<Question, 'feedQuestion'>, signal?: AbortSignal): Promise<Message | News> {
    const feedQuestion = ++this.#lastQuestion;
    const reply = this.#replies.expect(feedQuestion, {
      timeoutMs: ANSWER_MS,
      ...(signal === undefined ? {} : { signal }),
    });
    process.send?.({ ...question, feedQuestion } satisfies Question);
    return reply;
  }
}
