/**
 * How a program of the broker's ends from outside: Ctrl-C, a signal, or the end of the shell that
 * npm ran it in.
 */

const ORPHAN_CHECK_MS = 100;

/**
 * Calls `stop` at the first signal; a second one finds the default again and ends the process at
 * once.
 */
export function stopOnSignal(stop: () => void): void {
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  if (process.env.npm_lifecycle_event === undefined) return;
  // npm runs scripts through a shell, which dies of npm's SIGTERM and passes nothing on: what is
  // left is an orphan.
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    stop();
  }, ORPHAN_CHECK_MS);
  watch.unref();
}
