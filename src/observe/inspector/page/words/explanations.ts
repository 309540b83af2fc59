// What every number of the page means, in a sentence or two. Shown on hover and focus. Screen
// readers read it as the description.

export const explanations = {
  parked: 'Operations that wait now for an event on one of their keys, or for their deadline.',
  watched:
    'Pairs of a parked operation and a key that it watches: one that watches three keys counts three times. Below: how many keys somebody watches.',
  completed:
    'Operations per second that an event on a key completed before their deadline, over the last two seconds.',
  expired: 'Operations per second that their deadline completed, over the last two seconds.',
  early:
    'Of the operations that ended in the last minute by an event or by their deadline: the share that an event completed first. Low is normal for quiet long polls, and a sign of lost events where answers should come.',
  lateness:
    'How late timers run their tasks: 99 of 100 of the last ten seconds ran within this time after their deadline. With several timers, this is the latest of them. Most of it is usually time in which the event loop was busy with other work.',
  hottest:
    'The keys that most parked operations watch. An event on such a key tries all of them, so a long list is a slow event.',
  events:
    'Events of notify. With a key: the oldest that has begun, and goes on in later turns because its key has many watchers. Others wait: their event has not begun.',
  oldest:
    'The operations that have waited longest, how long, and how long they have left until their deadline.',
  holders:
    'The permits with a label, the one that has been held longest first. Below: units of semaphores that are held, of all keys.',
  items: 'Items that queues keep until somebody takes them, of all keys; and the takes that wait for one.',
  timers:
    'Pending: tasks that wait in the timer, the deadlines of parked operations among them. Next: until then it sleeps, however many tasks are pending. Threw: each error went to onError, or became an uncaught exception.',
  minutes:
    'What the server has kept of each of the last 600 seconds, whether somebody watched or not: how many were parked at the end of the second; how many left per second, completed by an event, expired at their deadline, cancelled unanswered, or rejected because their condition threw; and when the event loop was blocked.',
  buses:
    'A bus carries hints between processes: an event in one tries the waits in all. Its echo is how long a hint takes to the engine and back. In a gap hints may be missed, so afterwards everything parked is tried once.',
  lookup:
    'The keys that contain what is looked for, and the operations that wait on the key, the oldest first.',
} as const;

export type Term = keyof typeof explanations;
