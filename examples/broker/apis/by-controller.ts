import type { Exchange, Request, Response } from '../network/exchange.ts';
import type { ApiName } from '../protocol/messages/index.ts';
import type { Context, Handler } from './context.ts';
import { respondLater } from './respond-later.ts';

/** Does what the request asks for in the call, and returns what is answered. */
export type AnsweringHandler<N extends ApiName> = (exchange: Exchange<N>, context: Context) => Response<N>;

/**
 * A handler that the controller alone runs. It is answered when all nodes that are alive know what
 * it changed, as far as they can be told soon. Another node passes the request on, and knows what
 * it changed before it answers. Where the controller does not answer, the handler does, with
 * NOT_CONTROLLER: clients try again.
 */
export function byController<N extends ApiName>(handler: AnsweringHandler<N>): Handler<N> {
  return (exchange, context) => {
    const own = () => handler(exchange, context);
    const passed = passOn(exchange, context);
    if (passed === undefined) {
      // In this turn: what comes next on the connection finds it done.
      const response = own();
      const told = context.tellNodes();
      if (told === undefined) exchange.respond(response);
      else
        respondLater(
          exchange,
          told.then(() => response),
        );
      return;
    }
    const known = async (answered: Response<N> | undefined) => {
      if (answered !== undefined) await context.lookAtController();
      return answered ?? own();
    };
    respondLater(exchange, passed.then(known));
  };
}

/**
 * A handler that reads what the controller knows first. Another node passes on the requests that
 * are for the controller. Where that does not answer, the node tells what it knows itself.
 */
export function askingController<N extends ApiName>(
  handler: AnsweringHandler<N>,
  isForController: (request: Request<N>) => boolean,
): Handler<N> {
  return (exchange, context) => {
    const own = () => handler(exchange, context);
    const passed = isForController(exchange.request) ? passOn(exchange, context) : undefined;
    if (passed === undefined) exchange.respond(own());
    else
      respondLater(
        exchange,
        passed.then((answered) => answered ?? own()),
      );
  };
}

/** What the controller answers, if it does; undefined where this is the controller, or it is away. */
function passOn<N extends ApiName>(
  { api, version, request }: Exchange<N>,
  { cluster, askController }: Context,
): Promise<Response<N> | undefined> | undefined {
  const { controller } = cluster;
  if (cluster.isSelf(controller) || !cluster.isAlive(controller)) return undefined;
  return askController(api, version, request);
}
