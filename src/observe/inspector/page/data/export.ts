// Saves what is shown as a JSON file.
import { last, recordingOf } from './history.ts';
import { judge } from './judge.ts';
import { current, shown } from './store.ts';

export function exportShown(): void {
  const { choice, found } = current();
  const { frames, seconds } = shown(current());
  const frame = last(frames);
  const what = {
    exportedAt: new Date().toISOString(),
    shownAt: new Date(frame.wallMs).toISOString(),
    page: location.href,
    choice,
    verdict: judge(recordingOf(shown(current()), choice.purgatory)),
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
