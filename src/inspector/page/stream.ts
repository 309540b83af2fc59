// The stream of frames, one for all tabs of a browser: over HTTP/1.1 a browser opens six connections to a server, and a seventh tab with
// a stream of its own would wait for ever.
//
// Ground rules. The stream is open only while a tab is visible. Whichever visible tab holds the lock reads the stream and hands each
// message to the others; when it is hidden or closed, the lock goes to the next. Browsers have locks where a page is served by HTTPS or
// from loopback; elsewhere each tab reads a stream of its own.
const NAME = `purgatory inspector ${location.pathname}`;
const RETRY_MS = 1000;

/** Whether all tabs share one stream. */
export const isShared = navigator.locks !== undefined;

export interface Listener {
  /** The page listens from now on. */
  opened(): void;
  message(data: string): void;
  /** The server does not answer; it will be tried again. */
  lost(): void;
}

export function listen(listener: Listener): void {
  let close = (): void => {};
  const open = (): void => {
    close();
    close = (): void => {};
    if (document.hidden) return;
    listener.opened();
    close = isShared ? share(listener) : read(listener);
  };
  document.addEventListener('visibilitychange', open);
  open();
}

/** Reads the stream itself; returns what ends that. */
function read(listener: Omit<Listener, 'opened'>): () => void {
  let stream: EventSource;
  let retry: number | undefined;
  const open = (): void => {
    stream = new EventSource(new URL('events', document.baseURI));
    stream.onmessage = ({ data }) => listener.message(data);
    stream.onerror = () => {
      listener.lost();
      // The browser tries again by itself, unless somebody else answered in the server's place.
      if (stream.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
    };
  };
  open();
  return () => {
    clearTimeout(retry);
    stream.close();
  };
}

/** Hears what another tab reads until it is this tab's turn to read; returns what ends that. */
function share(listener: Omit<Listener, 'opened'>): () => void {
  const channel = new BroadcastChannel(NAME);
  const left = new AbortController();
  const { signal } = left;
  const hear = (data: string | null): void => (data === null ? listener.lost() : listener.message(data));
  channel.onmessage = ({ data }: MessageEvent<string | null>) => hear(data);
  const tell = (data: string | null): void => {
    channel.postMessage(data);
    hear(data);
  };
  const lead = (): Promise<void> =>
    new Promise((release) => {
      if (signal.aborted) return release();
      const stop = read({ message: tell, lost: () => tell(null) });
      signal.addEventListener('abort', () => {
        stop();
        release();
      });
    });
  navigator.locks.request(NAME, { signal }, lead).catch((error: Error) => {
    if (error.name !== 'AbortError') throw error;
  });
  return () => {
    left.abort();
    channel.close();
  };
}
