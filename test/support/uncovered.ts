// The environment of a child whose coverage nobody needs: to write it costs such a child more than
// its work.

/**
 * This process's environment with `more`, without coverage. The name has to be there, undefined:
 * Node hands its own coverage on to a child whose environment does not name it.
 */
export function uncovered(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { ...process.env, ...more, NODE_V8_COVERAGE: undefined };
}
