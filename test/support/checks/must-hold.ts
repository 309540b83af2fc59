/** For invariant checks. @throws Error that says `what` is wrong, unless `holds`. */
export function mustHold(holds: boolean, what: string): void {
  if (!holds) throw new Error(`unsound: ${what}`);
}
