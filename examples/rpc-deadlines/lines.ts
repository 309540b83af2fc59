// The wire: one JSON object a line, over any stream of bytes. Ground rules: a line has a limit, and
// a peer that breaks it, or sends no JSON, loses its connection.
import type { Socket } from 'node:net';

/**
 * What a client sends: a call with the ms it is still worth, or a notice that nobody waits for its
 * answer any more.
 */
export type Request =
  | { readonly id: number; readonly method: string; readonly params: unknown; readonly budgetMs: number }
  | { readonly cancel: number };

/** What a server answers. */
export type Reply = { readonly id: number } & ({ readonly result: unknown } | { readonly error: string });

const MAX_LINE_LENGTH = 1024 * 1024;

export function sendLine(socket: Socket, message: Request | Reply): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** Calls `receive` with each object that arrives on `socket`. */
export function onLine<M extends object>(socket: Socket, receive: (message: M) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() as string;
    try {
      if (rest.length > MAX_LINE_LENGTH) throw new Error(`a line is longer than ${MAX_LINE_LENGTH}`);
      for (const line of lines) receive(Object(JSON.parse(line)));
    } catch (error) {
      socket.destroy(error as Error);
    }
  });
}
