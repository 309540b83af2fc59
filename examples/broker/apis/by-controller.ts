import { describeFault } from '../fault.ts';
import type { ApiName } from '../protocol/messages/index.ts';
import type { Handler } from './context.ts';

/**
 * A handler that the controller alone runs. Another node passes the request on, and knows what it
 * changed before it answers. Where the controller does not answer, the handler does, with
 * NOT_CONTROLLER: clients try again.
 */
export function byController<N extends ApiName>(handler: Handler<N>): Handler<N> {
  return (exchange, context) => {
    const { cluster } = context;
    if (cluster.isSelf(cluster.controller) || !cluster.isAlive(cluster.controller)) {
      handler(exchange, context);
      return;
    }
    context
      .askController(exchange.api, exchange.version, exchange.request)
      .then(async (answer) => {
        if (answer === undefined) return handler(exchange, context);
        await context.lookAtController();
        exchange.respond(answer);
      })
      .catch((error) => exchange.owner.fail(`a fault of the broker: ${describeFault(error)}`, 'fault'));
  };
}
