// Saves what is shown as a JSON file.
import { current, shown } from './store.ts';
import { judge } from './verdict.ts';

export function exportShown(): void {
  const { choice, found } = current();
  const told = shown(current());
  const { frames, seconds } = told;
  const frame = frames[frames.length - 1];
  const what = {
    exportedAt: new Date().toISOString(),
    shownAt: new Date(frame.wallMs).toISOString(),
    page: location.href,
    choice,
    verdict: judge(told, choice.purgatory),
    frame,
    found,
    history: seconds,
  };
  const url = URL.createObjectURL(
    new Blob([JSON.stringify(what, undefined, 2)], { type: 'application/json' }),
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = `purgatory-${what.shownAt.replaceAll(/[:.]/g, '-')}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
