// Starts the page.
import './style/theme.css';
import './style/layout.css';
import './style/wheels.css';
import './style/parts.css';
import './style/names.css';
import './style/notices.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { titleOf, verdictOf } from './data/shown-verdict.ts';
import { connect, current, onChange } from './data/store.ts';
import { installTip } from './words/tip.ts';

const place = document.getElementById('app') as HTMLElement;
const draw = (): void => {
  const state = current();
  const verdict = verdictOf(state);
  document.title = titleOf(verdict);
  render(<App state={state} verdict={verdict} />, place);
};
onChange(draw);
draw();
installTip();
connect();
