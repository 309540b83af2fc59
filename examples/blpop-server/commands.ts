// The commands: their arguments, and what each does. A command that a client may have to wait for
// answers by itself; all others return their reply.
import type { BlockedPop, BlockedPops, Waiting } from './blocked-pop.ts';
import type { End } from './lists.ts';
import { array, bulk, error, integer, NULL_ARRAY, OK, type Request } from './protocol.ts';

/** What commands know of the connection that sent them. */
export interface Client extends Waiting {
  readonly id: number;
  /** 2 until HELLO asks for 3. */
  protocol: 2 | 3;
  /** The pop that it waits for: set until it is answered. */
  blocked: BlockedPop | undefined;
  /** Closes it once all replies are out. */
  quit(): void;
}

export interface Store {
  readonly pops: BlockedPops;
  clientOf(id: number): Client | undefined;
}

type Run = (args: readonly string[], client: Client, store: Store) => string | undefined;

interface Command {
  /** How many arguments it takes. */
  readonly least: number;
  readonly most: number;
  readonly run: Run;
}

const ANY = Number.POSITIVE_INFINITY;
const UNBLOCKED = error('UNBLOCKED client unblocked via CLIENT UNBLOCK');

const commands: Readonly<Record<string, Command>> = {
  ping: { least: 0, most: 1, run: ([text]) => (text === undefined ? '+PONG\r\n' : bulk(text)) },
  hello: { least: 0, most: ANY, run: hello },
  client: { least: 1, most: ANY, run: ofClient },
  info: { least: 0, most: ANY, run: () => bulk('# Persistence\r\nloading:0\r\n') },
  select: {
    least: 1,
    most: 1,
    run: ([index]) => (index === '0' ? OK : error('ERR there is no database but 0')),
  },
  quit: { least: 0, most: 0, run: quit },
  multi: { least: 0, most: 0, run: () => error('ERR no MULTI: a push is handed over at once, not at EXEC') },
  lpush: { least: 2, most: ANY, run: push('left') },
  rpush: { least: 2, most: ANY, run: push('right') },
  lpop: { least: 1, most: 1, run: ([key], _, { pops }) => bulk(pops.lists.pop(key, 'left')) },
  rpop: { least: 1, most: 1, run: ([key], _, { pops }) => bulk(pops.lists.pop(key, 'right')) },
  blpop: { least: 2, most: ANY, run: blockingPop('left') },
  brpop: { least: 2, most: ANY, run: blockingPop('right') },
  llen: { least: 1, most: 1, run: ([key], _, { pops }) => integer(pops.lists.sizeOf(key)) },
  lrange: { least: 3, most: 3, run: range },
  del: {
    least: 1,
    most: ANY,
    run: (keys, _, { pops }) => integer(keys.filter((key) => pops.lists.delete(key)).length),
  },
};

/** The reply, or undefined: the command answers by itself. */
export function execute([name, ...args]: Request, client: Client, store: Store): string | undefined {
  const command = Object.hasOwn(commands, name.toLowerCase()) ? commands[name.toLowerCase()] : undefined;
  if (command === undefined) return error(`ERR unknown command '${name.slice(0, 128)}'`);
  if (args.length < command.least || args.length > command.most) return wrongCount(name);
  return command.run(args, client, store);
}

function wrongCount(name: string): string {
  return error(`ERR wrong number of arguments for '${name.toLowerCase()}' command`);
}

function quit(_: readonly string[], client: Client): string {
  client.quit();
  return OK;
}

function push(end: End): Run {
  return ([key, ...items], _, { pops }) => {
    for (const item of items) pops.lists.push(key, end, item);
    const size = pops.lists.sizeOf(key);
    pops.didPush(key); // when all are there: of LPUSH k a b c, the first BLPOP gets c
    return integer(size);
  };
}

function blockingPop(end: End): Run {
  return (args, client, { pops }) => {
    const timeout = args[args.length - 1];
    const seconds = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(timeout) ? Number(timeout) : Number.NaN;
    if (Number.isNaN(seconds)) return error('ERR timeout is not a float or out of range');
    if (seconds < 0) return error('ERR timeout is negative');
    const timeoutMs = seconds === 0 ? Number.POSITIVE_INFINITY : seconds * 1_000;
    if (seconds > 0 && timeoutMs > Number.MAX_SAFE_INTEGER) return error('ERR timeout is out of range');
    client.blocked = pops.pop(args.slice(0, -1), end, timeoutMs, client);
    return undefined;
  };
}

function range([key, ...bounds]: readonly string[], _: Client, { pops }: Store): string {
  if (!bounds.every((bound) => /^-?\d{1,15}$/.test(bound))) {
    return error('ERR value is not an integer or out of range');
  }
  return array(pops.lists.range(key, Number(bounds[0]), Number(bounds[1])).map(bulk));
}

function hello([protocol, ...more]: readonly string[], client: Client): string {
  if (protocol !== undefined && protocol !== '2' && protocol !== '3') {
    return error('NOPROTO unsupported protocol version');
  }
  if (more.length > 0) return error('ERR HELLO takes no AUTH and no SETNAME here');
  if (protocol !== undefined) client.protocol = protocol === '3' ? 3 : 2;
  const facts = { server: 'blpop-server', version: '1.0.0', mode: 'standalone', role: 'master' };
  const pairs = Object.entries(facts).map(([name, fact]) => bulk(name) + bulk(fact));
  pairs.push(bulk('proto') + integer(client.protocol), bulk('id') + integer(client.id));
  pairs.push(bulk('modules') + array([]));
  return (client.protocol === 3 ? `%${pairs.length}\r\n` : `*${pairs.length * 2}\r\n`) + pairs.join('');
}

function ofClient([name, ...args]: readonly string[], client: Client, store: Store): string {
  switch (name.toLowerCase()) {
    case 'id':
      return args.length === 0 ? integer(client.id) : wrongCount('client|id');
    case 'setinfo':
    case 'setname':
      return OK; // clients introduce themselves: nobody asks for it here
    case 'unblock':
      return unblock(args, store);
    default:
      return error(`ERR unknown subcommand '${name.slice(0, 128)}'`);
  }
}

function unblock([id, why = 'timeout', ...more]: readonly string[], store: Store): string {
  if (id === undefined || more.length > 0) return wrongCount('client|unblock');
  const reply = { timeout: NULL_ARRAY, error: UNBLOCKED }[why.toLowerCase()];
  if (reply === undefined) return error('ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR');
  if (!/^-?\d{1,15}$/.test(id)) return error('ERR value is not an integer or out of range');
  return integer(store.clientOf(Number(id))?.blocked?.end(reply) ? 1 : 0);
}
