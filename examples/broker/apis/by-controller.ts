import { describeFault } from '../fault.ts';
import type { Exchange, Request, Response } from '../network/exchange.ts';
import type { ApiName } from '../protocol/messages/index.ts';
import type { Context, Handler } from './context.ts';

/** Does what the request asks for, and returns what is answered. */
export type AnsweringHandler<N extends ApiName> = (exchange: Exchange<N>, context: Context) => Response<N>;

/**
 * A handler that the controller alone runs. It is answered when all nodes that are alive know what
 * it changed, as far as they can be told soon. Another node passes the request on, and knows what
 * it changed before it answers. Where the controller does not answer, the handler does, with
 * NOT_CONTROLLER: clients try again.
 */
export function byController<N extends ApiName>(handler: AnsweringHandler<N>): Handler<N> {
  return answering(async (exchange, context) => {
    const answered = await passOn(exchange, context);
    const response = answered ?? handler(exchange, context);
    if (answered === undefined) await context.tellNodes();
    else await context.lookAtController();
    return response;
  });
}

/**
 * A handler that reads what the controller knows first. Another node passes on what `isForController`
 * says of, and where the controller does not answer, says what it knows itself.
 */
export function askingController<N extends ApiName>(
  handler: AnsweringHandler<N>,
  isForController: (request: Request<N>) => boolean,
): Handler<N> {
  return answering(async (exchange, context) => {
    const answered = isForController(exchange.request) ? await passOn(exchange, context) : undefined;
    return answered ?? handler(exchange, context);
  });
}

/** Resolves to the answer of the controller, where that is another node and answers. */
async function passOn<N extends ApiName>(
  { api, version, request }: Exchange<N>,
  { cluster, askController }: Context,
): Promise<Response<N> | undefined> {
  const { controller } = cluster;
  if (cluster.isSelf(controller) || !cluster.isAlive(controller)) return undefined;
  return askController(api, version, request);
}

function answering<N extends ApiName>(
  answer: (exchange: Exchange<N>, context: Context) => Promise<Response<N>>,
): Handler<N> {
  return (exchange, context) => {
    answer(exchange, context)
      .then((response) => exchange.respond(response))
      .catch((error) => exchange.owner.fail(`a fault of the broker: ${describeFault(error)}`, 'fault'));
  };
}
