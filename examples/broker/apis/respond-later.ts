import { describeFault } from '../fault.ts';
import type { Exchange, Response } from '../network/exchange.ts';
import type { ApiName } from '../protocol/messages/index.ts';

/** Answers with what `response` resolves to. Its rejection is a fault, and ends the connection. */
export function respondLater<N extends ApiName>(exchange: Exchange<N>, response: Promise<Response<N>>): void {
  response
    .then((answer) => exchange.respond(answer))
    .catch((error) => exchange.owner.fail(`a fault of the broker: ${describeFault(error)}`));
}
