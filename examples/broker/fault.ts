/** An error that should not have been, stack and all, as one line for the log. */
export function describeFault(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replaceAll(/\s*\n\s*/g, ' | ');
}
