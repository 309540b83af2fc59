// Why the event loop stood still, judged by what the process did meanwhile, and the events of
// `notify` that stood still with it: an event goes on in turns of the loop. Pure.
import type { Frame, HostTime, Second } from '../../frame.ts';
import type { PassUnderWay } from '../../view-types.ts';
import { plural, progress } from '../words/format.ts';
import { quoted } from '../words/visible.ts';
import { sum } from './history.ts';

/** `machine`: it was ready to run and got no CPU. `callbacks`: it ran. `stopped`: neither. */
type Cause = 'machine' | 'callbacks' | 'stopped';

const CAUSES: Record<Cause, string> = {
  machine: 'The process was ready to run and got no CPU: others on this machine take it.',
  callbacks: 'The process was computing all the time: a callback takes long, or code spins on microtasks.',
  stopped:
    'The process used no CPU meanwhile: it was stopped, or suspended, or it waited in a synchronous call (a file, a child process).',
};

/** The oldest event of a purgatory. */
export interface HeldUp extends PassUnderWay {
  readonly purgatory: string;
  /** How many events it had under way. */
  readonly passes: number;
}

/** The cause of the longest block in a span of time. */
export function causeOf({ blockedMs, cpuMs, waitedMs, load }: HostTime): Cause {
  const half = blockedMs / 2;
  const hadNoCpu = waitedMs === null ? load > 1 && cpuMs < half : waitedMs >= half && waitedMs >= cpuMs;
  if (hadNoCpu) return 'machine';
  return cpuMs >= half ? 'callbacks' : 'stopped';
}

/** What was under way before a block that ended with this frame, or in this second. */
export function heldUpAt({ host, purgatories }: Frame | Second): HeldUp[] {
  return passesAt(purgatories).filter(({ ageMs }) => ageMs >= host.blockedMs);
}

function passesAt(purgatories: Frame['purgatories'] | Second['purgatories']): HeldUp[] {
  if (Array.isArray(purgatories)) {
    const views: Frame['purgatories'] = purgatories;
    return views.flatMap(({ name, events: { oldestPass, passesUnderWay } }) =>
      oldestPass === null ? [] : [{ ...oldestPass, purgatory: name, passes: passesUnderWay }],
    );
  }
  return Object.entries(purgatories).flatMap(([purgatory, [, , , , , rare]]) =>
    rare?.pass === undefined ? [] : [{ ...rare.pass, purgatory }],
  );
}

/** The cause of the longest block of `host`, and the chosen of what it held up, in sentences. */
export function standstillInWords(
  host: HostTime,
  heldUp: readonly HeldUp[],
  chosen: string | undefined,
): string {
  const cause = CAUSES[causeOf(host)];
  const of = heldUp.filter(({ purgatory }) => chosen === undefined || purgatory === chosen);
  if (of.length === 0) return cause;
  const oldest = of.reduce((a, b) => (b.ageMs > a.ageMs ? b : a));
  const others = sum(of, ({ passes }) => passes) - 1;
  const and = others > 0 ? `, nor could ${plural(others, 'other')}` : '';
  return `${cause} The event on ${quoted(oldest.key)} in ${quoted(oldest.purgatory)} could not go on meanwhile (${progress(oldest)})${and}.`;
}
