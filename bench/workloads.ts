/** All workloads, in the order of the table. */
import { burst } from './burst.ts';
import { churn } from './churn.ts';
import { defaults } from './defaults.ts';
import { dropInTimers } from './drop-in.ts';
import { due } from './due.ts';
import { expire } from './expire.ts';
import type { Workload } from './harness/types.ts';
import { herd } from './herd.ts';
import { idle } from './idle.ts';
import { idleAdvance } from './idle-advance.ts';
import { layout } from './layout.ts';
import { limits } from './limits.ts';
import { loadFixed } from './load-fixed.ts';
import { loadMax } from './load-max.ts';
import { longTurns } from './long-turns.ts';
import { memory } from './memory.ts';
import { parkComplete } from './park-complete.ts';
import { queues } from './queues.ts';
import { sameDelay } from './same-delay.ts';
import { scan } from './scan.ts';
import { semaphore } from './semaphore.ts';
import { shared } from './shared.ts';
import { steady } from './steady.ts';
import { stoodStillProcess } from './stood-still.ts';
import { stringKeys } from './string-keys.ts';
import { vain } from './vain.ts';
import { waitFor } from './wait-for.ts';
import { wakeUps } from './wake-ups.ts';

export const workloads: readonly Workload[] = [
  steady,
  churn,
  longTurns,
  sameDelay,
  expire,
  due,
  parkComplete,
  stringKeys,
  scan,
  vain,
  memory,
  loadMax,
  loadFixed,
  burst,
  herd,
  dropInTimers,
  shared,
  waitFor,
  semaphore,
  queues,
  wakeUps,
  idleAdvance,
  idle,
  stoodStillProcess,
  layout,
  defaults,
  limits,
];
