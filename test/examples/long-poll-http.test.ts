import { expect } from 'chai';
import type { Message } from '../../examples/long-poll-http/feed.ts';
import { MemoryFeed } from '../../examples/long-poll-http/memory-feed.ts';
import { ChatServer } from '../../examples/long-poll-http/server.ts';
import { until } from '../support/turns.ts';

interface Answer {
  readonly status: number;
  readonly texts: string[];
  readonly next: number;
  readonly error: string;
}

describe('examples/long-poll-http', () => {
  let server: ChatServer;
  let base: string;

  beforeEach(async () => {
    server = new ChatServer({ feed: new MemoryFeed({ maxRooms: 3, keep: 5 }), maxParked: 3 });
    base = `http://127.0.0.1:${await server.listen(0)}`;
  });

  afterEach(() => server.close());

  async function poll(query: string, signal?: AbortSignal): Promise<Answer> {
    const response = await fetch(`${base}/messages?${query}`, { signal });
    const answer = (await response.json()) as { messages?: Message[]; next: number; error: string };
    const texts = (answer.messages ?? []).map(({ text }) => text);
    return { status: response.status, texts, next: answer.next, error: answer.error };
  }

  async function post(room: string, ...texts: string[]): Promise<number[]> {
    const statuses: number[] = [];
    for (const text of texts) {
      const body = JSON.stringify({ room, author: 'ada', text });
      const response = await fetch(`${base}/messages`, { method: 'POST', body });
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    return statuses;
  }

  /** Resolves once `count` polls are parked. */
  async function parked(count: number): Promise<void> {
    await until(() => server.polls.numDelayed === count);
  }

  it('answers every parked poll of a room with the message that it waited for', async () => {
    const polls = [poll('room=lobby'), poll('room=lobby'), poll('room=engine')];
    await parked(3);
    await post('lobby', 'hello');
    const answers = await Promise.all(polls.slice(0, 2));
    for (const { status, texts, next } of answers)
      expect([status, texts, next]).to.deep.equal([200, ['hello'], 1]);
    expect(server.polls.numDelayed).to.equal(1);
    await post('engine', 'other');
    expect((await polls[2]).texts).to.deep.equal(['other']);
  });

  it('keeps a poll of several rooms parked until they have enough together', async () => {
    const answer = poll('room=lobby&room=engine&min=3');
    await parked(1);
    await post('lobby', 'one');
    await post('random', 'not read');
    await post('engine', 'two');
    expect(server.polls.numDelayed).to.equal(1);
    await post('lobby', 'three');
    expect((await answer).texts).to.deep.equal(['one', 'two', 'three']);
    expect([server.polls.numDelayed, server.polls.watchedKeys]).to.deep.equal([0, 0]);
  });

  it('answers at the deadline with what there is', async () => {
    await post('lobby', 'only one');
    const since = performance.now();
    const { status, texts } = await poll('room=lobby&min=2&wait=60');
    expect(performance.now() - since).to.be.at.least(60);
    expect([status, texts]).to.deep.equal([200, ['only one']]);
  });

  it('answers at once what the client has not seen, and starts over one that is ahead of the server', async () => {
    await post('lobby', 'a', 'b', 'c');
    expect(await poll('room=lobby&after=1')).to.include({ status: 200, next: 3 });
    expect((await poll('room=lobby&after=1')).texts).to.deep.equal(['b', 'c']);
    expect((await poll('room=lobby&after=900')).texts).to.deep.equal(['a', 'b', 'c']);
    await post('lobby', 'd', 'e', 'f');
    expect((await poll('room=lobby')).texts).to.deep.equal(['b', 'c', 'd', 'e', 'f']);
  });

  it('leaves nothing parked for a client that went away', async () => {
    const gone = new AbortController();
    const answer = poll('room=lobby', gone.signal).catch((error: Error) => error.name);
    await parked(1);
    gone.abort();
    expect(await answer).to.equal('AbortError');
    await parked(0);
    expect(server.polls.watched).to.equal(0);
  });

  it('refuses one poll too many and one room too many', async () => {
    const polls = [1, 2, 3].map(() => poll('room=lobby'));
    await parked(3);
    expect(await poll('room=lobby')).to.include({
      status: 503,
      error: 'Purgatory "polls" is full: maxParked is 3',
    });
    expect(await post('lobby', 'hello')).to.deep.equal([201]);
    for (const answer of polls) expect((await answer).status).to.equal(200);
    expect(
      [await post('engine', 'x'), await post('random', 'x'), await post('fourth', 'x')].flat(),
    ).to.deep.equal([201, 201, 429]);
  });

  it('says what is wrong with a bad request', async () => {
    expect(await poll('after=0')).to.include({ status: 400, error: 'name 1 to 20 rooms' });
    expect(await poll('room=x&wait=1e9')).to.include({
      status: 400,
      error: 'wait must be an integer from 0 to 60000',
    });
    const status = async (path: string, body?: string) =>
      (await fetch(`${base}${path}`, { method: 'POST', body })).status;
    expect(await status('/messages', '{')).to.equal(400);
    expect(await status('/messages', 'null')).to.equal(400);
    expect(await status('/messages', JSON.stringify({ room: 'lobby', author: 'ada', text: '' }))).to.equal(
      400,
    );
    expect(await status('/messages', 'x'.repeat(5000))).to.equal(413);
    expect(await status('/elsewhere')).to.equal(404);
    expect(await status('//')).to.equal(400);
  });

  it('answers the parked polls with 503 when it stops, and does stop', async () => {
    const answer = poll('room=lobby');
    await parked(1);
    await server.close();
    expect((await answer).status).to.equal(503);
  });

  it('serves its page, which may talk to this server only', async () => {
    const response = await fetch(base);
    expect(response.headers.get('content-security-policy')).to.contain(
      "default-src 'none'; connect-src 'self'",
    );
    expect(await response.text()).to.contain('<title>Long-poll chat</title>');
  });
});
