// Keys, labels, class names and messages as people read them: one line, cut to so many characters.
//
// Invariants. An object is its class and, where it has one, its label, and never what is in it: a
// client may read the text. No code of the user's runs: no getter, no trap of a Proxy, no
// Symbol.toStringTag. So nothing throws, whatever the value is. No character is cut in two. Costs.
// O(characters shown).
import { inspect, types } from 'node:util';

/** Enough to tell most keys apart, and still one line. */
const MAX_TEXT = 100;
/** Prototypes between an object and one that has a constructor. */
const MAX_PROTOTYPES = 100;

/** A key as people read it: one line of at most {@link MAX_TEXT} characters. */
export function keyText(key: unknown): string {
  return cut(typeof key === 'string' ? key : valueText(key));
}

const labels = new WeakMap<object, string>();

/** `label` stands in each text of `object` from now on. */
export function setLabel(object: object, label: string): void {
  labels.set(object, label);
}

export function hasLabel(object: object): boolean {
  return labels.has(object);
}

/** Any value as one reads it in code: a text has quotes. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return inspect(cut(value));
  if (typeof value === 'function') return `[Function: ${functionName(value) || '(anonymous)'}]`;
  if (typeof value !== 'object' || value === null) return inspect(value);
  const label = labels.get(value);
  const name = Array.isArray(value) && !types.isProxy(value) ? `Array(${value.length})` : className(value);
  return label === undefined ? `[${name}]` : `[${name} "${cut(label)}"]`;
}

/** The name of the class of `value`. */
export function className(value: object): string {
  let prototype: object | null = value;
  for (let left = MAX_PROTOTYPES; prototype !== null && left > 0; left--) {
    if (types.isProxy(prototype)) return 'Proxy';
    if (types.isModuleNamespaceObject(prototype)) return 'Module';
    const maker: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
    const name = typeof maker === 'function' ? functionName(maker) : '';
    if (name !== '') return name;
    prototype = Object.getPrototypeOf(prototype);
  }
  return 'Object: null prototype';
}

/** '' where it is no text, or not to be had without a call. */
export function functionName(value: object): string {
  const name: unknown = types.isProxy(value)
    ? undefined
    : Object.getOwnPropertyDescriptor(value, 'name')?.value;
  return typeof name === 'string' ? cut(name) : '';
}

/** At most `max` characters of `text` (UTF-16 units), the last of which is then an ellipsis. */
export function cut(text: string, max: number = MAX_TEXT): string {
  if (text.length <= max) return text;
  const isInPair = isHighSurrogate(text.charCodeAt(max - 2));
  return `${text.slice(0, isInPair ? max - 2 : max - 1)}…`;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}
