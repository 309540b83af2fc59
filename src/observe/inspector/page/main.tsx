// Starts the page.
import './style/theme.css';
import './style/layout.css';
import './style/pictures.css';
import './style/parts.css';
import './style/names.css';
import './style/notices.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { recordingOf } from './data/history.ts';
import { absence, judge } from './data/judge.ts';
import { connect, current, onChange, shown } from './data/store.ts';
import { installTip } from './words/tip.ts';

const MARKS = { well: '', note: '', warn: '\u26a0 ', bad: '\u26d4 ', lost: '\u26d4 ' } as const;
const NAME = 'Purgatory inspector';

const place = document.getElementById('app') as HTMLElement;
const draw = (): void => {
  const state = current();
  const recording = recordingOf(shown(state), state.choice.purgatory);
  const hasNews = recording.frames.length > 0;
  const verdict = hasNews ? (absence(state, state.connection === 'lost') ?? judge(recording)) : undefined;
  // The title has the verdict too, so that a reader sees it from another tab.
  document.title = verdict === undefined ? NAME : `${MARKS[verdict.level]}${verdict.headline} - ${NAME}`;
  render(<App state={state} recording={recording} verdict={verdict} />, place);
};
onChange(draw);
draw();
installTip();
connect();
