// Reads the inspector's stream of frames as its page does.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';

/** What the tests look at in a frame. */
export interface Frame {
  readonly purgatories: readonly {
    readonly name: string;
    readonly parked: number;
    readonly totals: { readonly completed: number; readonly expired: number };
  }[];
  readonly timers: readonly {
    readonly totals: { readonly cascaded: number };
    readonly levels: readonly unknown[];
  }[];
}

/** The first frame for which `holds`. */
export async function frameOf(page: URL, holds: (frame: Frame) => boolean): Promise<Frame> {
  const [response] = (await once(get(new URL('events', page), { agent: false }), 'response')) as [
    IncomingMessage,
  ];
  for await (const line of createInterface(response)) {
    if (!line.startsWith('data: ')) continue;
    const frame = JSON.parse(line.slice(6)) as Frame;
    if (!holds(frame)) continue;
    response.destroy();
    return frame;
  }
  throw new Error('the stream has ended');
}
