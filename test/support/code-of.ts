/** The `code` of what `action` throws; undefined when it throws nothing, or nothing with a code. */
export function codeOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return undefined;
}
