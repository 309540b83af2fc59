// The stream of frames, one for all tabs of a browser. Over HTTP/1.1 a browser opens six
// connections to a server. A seventh tab with a stream of its own would wait for ever.
//
// Ground rules. The stream is open only while a tab is visible. One of the visible tabs is the
// leader: it reads the stream, and passes everything on to the others. A tab that opens asks for
// the leader. It becomes the leader when nobody answers, or when it has not heard from its leader
// for BEATS_MS. When there are two leaders, the one with the higher number steps down. (The
// browser's locks would choose a leader too. But they do not exist on a page that comes neither by
// HTTPS nor from loopback.)
const NAME = `purgatory inspector ${location.pathname}`;
const RETRY_MS = 1000;
/** How long a tab that opens waits for an answer. */
const ANSWER_MS = 150;
/**
 * The interval in which a leader reports to the others, whether the server sends something or not.
 * After BEATS_MS of silence it counts as gone.
 */
const BEAT_MS = 500;
const BEATS_MS = 2500;

export interface Listener {
  /** The page listens from now on. */
  opened(): void;
  message(data: string): void;
  /** The server does not answer. The page will try again. */
  lost(): void;
}

type News = Omit<Listener, 'opened'>;

type Said =
  | { readonly kind: 'asks' | 'leads' | 'leaves' | 'lost'; readonly by: number }
  | { readonly kind: 'message'; readonly by: number; readonly data: string };

export function listen(listener: Listener): void {
  let close = (): void => {};
  const open = (): void => {
    close();
    close = (): void => {};
    if (document.hidden) return;
    listener.opened();
    close = share(listener);
  };
  document.addEventListener('visibilitychange', open);
  addEventListener('pagehide', () => close());
  addEventListener('pageshow', ({ persisted }) => persisted && open());
  open();
}

/** Reads the stream. Returns a function that ends the reading. */
function read(news: News): () => void {
  let stream: EventSource;
  let retry: number | undefined;
  const open = (): void => {
    stream = new EventSource(new URL('events', document.baseURI));
    stream.onmessage = ({ data }) => news.message(data);
    stream.onerror = () => {
      news.lost();
      // The browser tries again by itself, unless another server answered in place of this one.
      if (stream.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
    };
  };
  open();
  return () => {
    clearTimeout(retry);
    stream.close();
  };
}

/** Leads, or listens to the leader. Returns a function that ends this. */
function share(news: News): () => void {
  const by = Math.random();
  const channel = new BroadcastChannel(NAME);
  const say = (said: Said): void => channel.postMessage(said);
  let stop: (() => void) | undefined;
  let wait: number | undefined;

  const lead = (): void => {
    const stopReading = read({
      message: (data) => {
        say({ kind: 'message', by, data });
        news.message(data);
      },
      lost: () => {
        say({ kind: 'lost', by });
        news.lost();
      },
    });
    say({ kind: 'leads', by });
    const beat = setInterval(() => say({ kind: 'leads', by }), BEAT_MS);
    stop = () => {
      clearInterval(beat);
      stopReading();
      stop = undefined;
    };
  };
  /**
   * Becomes the leader if no other tab is heard of, a little later than others that wait for the
   * same.
   */
  const leadAfter = (ms: number): void => {
    clearTimeout(wait);
    wait = setTimeout(lead, ms + 100 * Math.random());
  };

  channel.onmessage = ({ data: said }: MessageEvent<Said>) => {
    if (said.kind === 'asks') {
      if (stop !== undefined) say({ kind: 'leads', by });
      return;
    }
    if (stop !== undefined) {
      if (said.kind === 'leaves' || said.by > by) return;
      stop();
    }
    leadAfter(said.kind === 'leaves' ? 0 : BEATS_MS);
    if (said.kind === 'message') news.message(said.data);
    if (said.kind === 'lost') news.lost();
  };
  say({ kind: 'asks', by });
  leadAfter(ANSWER_MS);
  return () => {
    clearTimeout(wait);
    if (stop !== undefined) {
      stop();
      say({ kind: 'leaves', by });
    }
    channel.close();
  };
}
