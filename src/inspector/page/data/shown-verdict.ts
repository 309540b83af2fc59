// The verdict as the page shows it: while the server is silent, that it is. The tab's title has it,
// so that a reader sees it from another tab. Pure.
import { time } from '../words/format.ts';
import { isSilent, silenceOf } from './silence.ts';
import { type State, shown } from './store.ts';
import { judge, type Verdict } from './verdict.ts';

export type ShownVerdict = Omit<Verdict, 'tone'> & { readonly tone: Verdict['tone'] | 'lost' };

/** Undefined before the first frame. */
export function verdictOf(state: State): ShownVerdict | undefined {
  const told = shown(state);
  return told.frames.length === 0 ? undefined : (absence(state) ?? judge(told, state.choice.purgatory));
}

const MARKS = { well: '', note: '', warn: '\u26a0 ', bad: '\u26d4 ', lost: '\u26d4 ' } as const;
const NAME = 'Purgatory inspector';

export function titleOf(verdict: ShownVerdict | undefined): string {
  return verdict === undefined ? NAME : `${MARKS[verdict.tone]}${verdict.headline} - ${NAME}`;
}

/**
 * What the page says in place of the verdict while the server is silent. The headline stays the
 * same meanwhile, because screen readers read it aloud.
 */
function absence(state: State): ShownVerdict | undefined {
  const { connection, heardMs, nowMs } = state;
  const age = `What is shown is ${time(Math.max(0, nowMs - (heardMs ?? nowMs)))} old.`;
  if (connection === 'lost') {
    return {
      tone: 'lost',
      headline: 'The server does not answer',
      detail: `${age} It has stopped, or is starting anew: this page goes on by itself when it is back.`,
      warnings: [],
    };
  }
  if (!isSilent(state)) return undefined;
  return {
    tone: 'lost',
    headline: 'The server is silent',
    detail: `${age} For ${time(silenceOf(state))} nothing has come over a connection that is still there: the process hangs, is stopped, or gets no CPU.`,
    warnings: [],
  };
}
