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
  late: 'How late after their deadline the timer ran its tasks, of those that ran since this page was opened.',
  hottest:
    'The keys that most parked operations watch. An event on such a key tries all of them, so a long list is a slow event.',
  events:
    'Events of notify. Under way: those that have begun, and go on in later turns because their key has many watchers. Pending: keys whose event has not begun. The key is that of the oldest event under way.',
  oldest:
    'The operations that have waited longest, how long, and how long they have left until their deadline.',
  holders:
    'The permits with a label, the one that has been held longest first. Below: units of semaphores that are held, of all keys, and items that queues keep until somebody takes them.',
  wheels:
    'A ring is a timing wheel, the finest innermost. A task waits in the bucket of its deadline; where the hand reaches a bucket of the inner ring its tasks run, and where it reaches one of an outer ring they cascade: they fall to finer rings.',
  pending:
    'Tasks that wait in the timer: the deadlines of parked operations, and tasks that the program has scheduled.',
  tick: 'What one bucket of the ring spans, in time.',
  turn: 'How long the hand takes for a whole turn of the ring: what one bucket of the next ring spans.',
  tasks: 'Tasks that wait in the buckets of the ring.',
  head: 'The bucket for which the timer wakes next, the first of its DelayQueue. Until then it sleeps, however many tasks are pending.',
  minutes:
    'What the server has kept of each of the last 600 seconds, whether somebody watched or not: how many were parked at the end of the second; how many left per second, completed by an event, expired at their deadline, cancelled unanswered, or rejected because their condition threw; and when the event loop was blocked.',
  buses:
    'A bus carries hints between processes: an event in one tries the waits in all. Its echo is how long a hint takes to the engine and back. In a gap hints may be missed, so afterwards everything parked is tried once.',
  lookup:
    'The keys that contain what is looked for, and the operations that wait on the key, the oldest first.',
  ran: 'Tasks that the timer ran since it was made.',
  cascaded: 'Tasks that fell to a finer ring since the timer was made.',
  yields:
    'How often the timer stopped in the middle of its work to let the event loop go on, since it was made.',
  threw:
    'Tasks that threw since the timer was made; each error went to onError, or became an uncaught exception.',
} as const;

export type Term = keyof typeof explanations;
