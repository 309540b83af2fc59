// Starts the page.
import './style/theme.css';
import './style/layout.css';
import './style/wheels.css';
import './style/parts.css';
import './style/names.css';
import './style/notices.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { connect, current, onChange } from './data/store.ts';
import { installTip } from './words/tip.ts';

const draw = (): void => render(<App state={current()} />, document.getElementById('app') as HTMLElement);
onChange(draw);
draw();
installTip();
connect();
