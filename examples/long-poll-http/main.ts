// node --import tsx examples/long-poll-http/main.ts [port] [--workers N] [--bus URL] [--inspect]
import { run } from '../workers/run.ts';
import { feedOf } from './feed-of.ts';
import { MemoryFeed } from './memory-feed.ts';
import { shareFeed } from './primary-feed.ts';
import { ChatServer } from './server.ts';

await run({
  defaultPort: 8080,
  inPrimary: () => shareFeed(new MemoryFeed()),
  async serve(engine) {
    const server = new ChatServer({
      feed: await feedOf(engine),
      bus: engine.bus,
      worker: process.env.WORKER,
    });
    return { server, waits: server.polls };
  },
  help: (url) => `Open it in two windows, or:
  curl '${url}/messages?room=lobby&min=1&wait=25000'
  curl ${url}/messages -d '{"room":"lobby","author":"curl","text":"hello"}'`,
});
