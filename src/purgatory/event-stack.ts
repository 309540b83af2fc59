// What is under way in this call: events, and tries that no event causes.
//
// Ground rules. It belongs to one Parking. A try is user code, which may cause an event on another
// key, whose tries may cause more: so their keys are a stack. An event on a key that is in the
// stack does not begin in it: how deep events are nested is bounded by the keys.

/** In place of a key, where no event causes the tries: no key of a user is the same. */
export const NO_EVENT: unique symbol = Symbol('no event');

export class EventStack {
  /** The key of each event, or NO_EVENT, from the outermost in. */
  readonly keys: unknown[] = [];
  /** Counts the events, to see one that a try at parking causes. */
  events = 0;

  /** The key of the event that causes the innermost try; undefined without one. */
  get key(): unknown {
    const key = this.keys.at(-1);
    return key === NO_EVENT ? undefined : key;
  }
}
