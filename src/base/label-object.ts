// `labelObject`: what an object is called in texts.
import { requiredString } from './checks.ts';
import { invalidArgType } from './node-errors.ts';
import { setLabel } from './text.ts';

/**
 * Gives `object` a label, and returns it. In errors, warnings, snapshots, metrics and the inspector
 * an object is the name of its class, `[Session]`, and never what is in it. With a label it is
 * `[Session "ann"]`. The label says, too, that the object is meant as a key: a Semaphore and Queues
 * then do not warn of it (PURGATORY_OBJECT_KEY). A second label replaces the first. The object is not
 * changed, and is kept by nothing. O(1).
 *
 * @throws TypeError ERR_INVALID_ARG_TYPE for no object, or a label that is no string.
 */
export function labelObject<T extends object>(object: T, label: string): T {
  if (typeof object !== 'object' || object === null) throw invalidArgType('object', 'of type object', object);
  setLabel(object, requiredString('label', label));
  return object;
}
