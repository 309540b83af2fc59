// An operation that is ended from outside, with a result: docs/recipes/several-keys.md
import { DelayedOperation, Purgatory } from 'purgatory';

const updates = [];
const polls = new Purgatory('polls');
const latest = new Map(); // by bot

class GetUpdates extends DelayedOperation {
  status = 200;

  constructor(timeoutMs, respond) {
    super(timeoutMs);
    this.respond = respond;
  }

  tryComplete() {
    return updates.length > 0 && this.forceComplete();
  }

  onComplete() {
    this.respond(this.status, this.status === 200 ? updates.splice(0) : []);
  }
}

/** One poll a bot: a new one ends the one before with 409. */
function getUpdates(bot, poll) {
  const before = latest.get(bot);
  if (before !== undefined) {
    before.status = 409;
    before.forceComplete();
  }
  latest.set(bot, poll);
  polls.tryCompleteElseWatch(poll, [bot]);
}

const print = (name) => (status, answer) => console.log(name, status, answer);
getUpdates('bot', new GetUpdates(1_000, print('first')));
getUpdates('bot', new GetUpdates(1_000, print('second')));
updates.push('hello');
polls.notify('bot');

/* It prints

first 409 []
second 200 [ 'hello' ]
*/
