// Keys, labels, class names and messages as people read them: one line, cut to so many characters.
//
// Invariants. No code of the user's runs: no getter, no trap of a Proxy, no Symbol.toStringTag. So
// nothing throws, whatever the value is. No character is cut in two. Costs. O(characters shown);
// of an object, O(its own properties), of which a few are shown.
import { inspect, types } from 'node:util';

/** Enough to tell most keys apart, and still one line. */
export const MAX_TEXT = 100;
/** Fields and elements of an object that are shown. */
const MAX_SHOWN = 8;
/** Prototypes between an object and one that has a constructor. */
const MAX_PROTOTYPES = 100;

/** A key as people read it: one line of at most `max` characters. */
export function keyText(key: unknown, max: number = MAX_TEXT): string {
  return cut(typeof key === 'string' ? key : valueText(key), max);
}

/** Any value as one reads it in code: a text has quotes. It may be longer than a line. */
export function valueText(value: unknown, isInner = false): string {
  if (typeof value === 'string') return inspect(cut(value));
  if (typeof value === 'function') return `[Function: ${functionName(value) || '(anonymous)'}]`;
  if (typeof value !== 'object' || value === null) return inspect(value);
  if (types.isProxy(value)) return '[Proxy]';
  const name = className(value);
  // While modules that import each other are loaded, a look at an export may throw.
  if (isInner || types.isModuleNamespaceObject(value)) return `[${name}]`;
  if (Array.isArray(value)) return listed('[', elements(value), value.length, ']');
  // Each of their bytes and characters is a property.
  if (ArrayBuffer.isView(value) || types.isBoxedPrimitive(value)) return `[${name}]`;
  const keys = Object.keys(value);
  const fields = keys.slice(0, MAX_SHOWN).map((key) => `${fieldName(key)}: ${propertyText(value, key)}`);
  return `${name === 'Object' ? '' : `${name} `}${listed('{', fields, keys.length, '}')}`;
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

function elements(array: readonly unknown[]): string[] {
  return Array.from({ length: Math.min(array.length, MAX_SHOWN) }, (_, i) => propertyText(array, `${i}`));
}

function propertyText(value: object, property: string): string {
  const descriptor = Object.getOwnPropertyDescriptor(value, property);
  if (descriptor === undefined) return '<empty>';
  return 'value' in descriptor ? valueText(descriptor.value, true) : '[Getter]';
}

function fieldName(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? cut(name) : inspect(cut(name));
}

function listed(open: string, shown: readonly string[], count: number, close: string): string {
  const all = count > shown.length ? [...shown, `... ${count - shown.length} more`] : shown;
  return all.length === 0 ? `${open}${close}` : `${open} ${all.join(', ')} ${close}`;
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
