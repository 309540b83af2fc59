// What becomes of an engine when a part of the host is a fake: the scenario of half-fakes.test.ts,
// which `npm run test:runners` plays under the runners' own fakes, too.
import { setImmediate as hostImmediate, setTimeout as hostTimeout } from 'node:timers';
import type * as Engine from '../../src/index.ts';
import type * as Idle from '../../src/waits/idle/index.ts';
import type * as DropIn from '../../src/waits/timers/index.ts';

/** All that the engine, or a test of a user, might ask of the host. */
export const FAKEABLE = [
  'Date',
  'performance',
  'hrtime',
  'setTimeout',
  'setImmediate',
  'queueMicrotask',
  'nextTick',
] as const;
export type Fakeable = (typeof FAKEABLE)[number];
/** Those that decide what becomes of a library that is imported under the fake. */
export const TIMES = ['Date', 'performance', 'hrtime', 'setTimeout'] as const;

export interface Fake {
  tick(ms: number): void;
  restore(): void;
}

/** The library, as a program imports it. */
export type Library = typeof Engine & typeof Idle & Pick<typeof DropIn, 'setTimeout'>;

/** What a program sees: 'works', 'warns once', or what went wrong. */
type Outcome = string;

/** How one fake is played. */
export interface Play {
  /** What it can fake. */
  readonly names: readonly Fakeable[];
  /** Imports a library that has warned of nothing so far. */
  load(n: number): Promise<Library>;
  install(faked: readonly Fakeable[]): Fake;
  /** Whether the fake is there before the library is imported. */
  readonly isFirst?: boolean;
}

/** What docs/testing.md says. */
function expected(faked: readonly Fakeable[], isFirst: boolean): Outcome {
  const has = (name: Fakeable): boolean => faked.includes(name);
  if (isFirst) return has('setTimeout') === has('hrtime') ? 'works' : 'warns once';
  return !has('setTimeout') || has('Date') || has('performance') ? 'works' : 'warns once';
}

/**
 * Plays every combination of what a fake can fake. Returns how many, and those whose outcome is
 * another than the page says.
 */
export async function playAll(all: Play): Promise<{ played: number; wrong: string[] }> {
  const { names, load, install, isFirst = false } = all;
  const wrong: string[] = [];
  let library: Library | undefined;
  // To @sinonjs/fake-timers and to node:test an empty list means all. So none is empty.
  const played = 2 ** names.length - 1;
  for (let bits = 1; bits <= played; bits++) {
    const faked = names.filter((_, i) => (bits >> i) & 1);
    if (!isFirst) library ??= await load(bits);
    const fake = install(faked);
    const outcome = await play(library ?? (await load(bits)), faked, fake);
    if (outcome !== expected(faked, isFirst)) wrong.push(`${faked}: ${outcome}`);
    if (outcome !== 'works') library = undefined;
  }
  return { played, wrong };
}

const LONG_MS = 600_000;
const turn = (): Promise<void> => new Promise((resolve) => hostImmediate(resolve));
const pause = (ms: number): Promise<void> => new Promise((resolve) => hostTimeout(resolve, ms));

/** More turns than the slices of any busy machine. */
async function turnsUntil(isDone: () => boolean): Promise<void> {
  for (let i = 0; i < 20_000 && !isDone(); i++) await turn();
}

/** Plays deadlines, an event and a drop-in timeout under a fake of `faked`. */
async function play(
  { Purgatory, IdleTimeouts, setTimeout }: Library,
  faked: readonly Fakeable[],
  fake: Fake,
): Promise<Outcome> {
  const isTicked = faked.includes('setTimeout');
  // By the real hrtime of some rows, so longer than any stall. What stands still is noticed by the least, too.
  const timeoutMs = isTicked ? 60_000 : 1;
  const failures: string[] = [];
  let warnings = 0;
  // Not by the event of a warning: the process of a jest test has none.
  const { emitWarning } = process;
  process.emitWarning = ((text: string, options: { code?: string }) => {
    if (options.code === 'PURGATORY_FAKE_WITHOUT_TIME') warnings++;
    else emitWarning(text, options);
  }) as typeof emitWarning;
  const purgatory = new Purgatory('polls');
  try {
    let news: string | undefined;
    const ended: string[] = [];
    const idle = new IdleTimeouts<object>('idle', { timeoutMs, onIdle: () => void ended.push('idle') });
    const note = (what: string) => (): void => void ended.push(what);
    idle.touch({});
    setTimeout(note('drop-in'), timeoutMs);
    purgatory.waitFor(['feed'], () => undefined, { timeoutMs }).then(note('deadline'), () => {});
    purgatory.waitFor(['news'], () => news, { timeoutMs: LONG_MS }).then(note('event'), () => {});

    news = 'hello';
    purgatory.notify('news');
    await turnsUntil(() => ended.includes('event'));
    if (!ended.includes('event')) failures.push('no event');

    if (isTicked) {
      fake.tick(timeoutMs - 2);
      await turn();
      if (ended.length > 1) failures.push('early');
      fake.tick(10); // over the edge of a tick
      await turn();
      for (let i = 0; i < 3; i++) fake.tick(timeoutMs);
      await turnsUntil(() => ended.length === 4 || warnings > 0);
    } else {
      for (let i = 0; i < 2_000 && ended.length < 4 && warnings === 0; i++) await pause(5);
    }
    for (const what of ['drop-in', 'deadline', 'idle']) {
      if (!ended.includes(what)) failures.push(`no ${what}`);
    }
    idle.close();
  } finally {
    purgatory.close();
    fake.restore();
  }
  process.emitWarning = emitWarning;
  if (warnings === 0) return failures.length === 0 ? 'works' : failures.join(', ');
  const isHeld = failures.join().endsWith('no deadline,no idle');
  return warnings === 1 && isHeld ? 'warns once' : `${warnings} warnings, ${failures.join(', ')}`;
}
