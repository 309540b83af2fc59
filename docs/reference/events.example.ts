import { Purgatory } from 'purgatory';
import { listen } from 'purgatory/events';

listen('purgatory:operation:parked', ({ purgatory, watches }) => {
  console.log(`${purgatory.name}: one waits for ${watches}`); // polls: one waits for news
});
const stop = listen('purgatory:operation:expired', ({ purgatory }) => {
  console.log(`${purgatory.name}: one has waited in vain`); // polls: one has waited in vain
});

const polls = new Purgatory('polls');
await polls.waitFor(['news'], () => undefined, { timeoutMs: 5 });
stop();
