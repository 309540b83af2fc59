// Starts the page.
import './style/theme.css';
import './style/layout.css';
import './style/pictures.css';
import './style/parts.css';
import './style/names.css';
import './style/notices.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { connect, current, onChange, shown } from './data/store.ts';
import { absence, judge } from './data/verdict.ts';
import { installTip } from './words/tip.ts';

const MARKS = { well: '', note: '', warn: '\u26a0 ', bad: '\u26d4 ', lost: '\u26d4 ' } as const;
const NAME = 'Purgatory inspector';

const place = document.getElementById('app') as HTMLElement;
const draw = (): void => {
  const state = current();
  const told = shown(state);
  const hasNews = told.frames.length > 0;
  const isLost = state.connection === 'lost';
  const verdict = hasNews ? (absence(state, isLost) ?? judge(told, state.choice.purgatory)) : undefined;
  // The title has the verdict too, so that a reader sees it from another tab.
  document.title = verdict === undefined ? NAME : `${MARKS[verdict.tone]}${verdict.headline} - ${NAME}`;
  render(<App state={state} verdict={verdict} />, place);
};
onChange(draw);
draw();
installTip();
connect();
