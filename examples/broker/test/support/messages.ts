import fc from 'fast-check';
import { type ApiName, apis } from '../../protocol/messages/index.ts';
import type { Field, Struct } from '../../protocol/schema.ts';

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const primitives: Record<string, fc.Arbitrary<unknown>> = {
  bool: fc.boolean(),
  int8: fc.integer({ min: -128, max: 127 }),
  int16: fc.integer({ min: -32_768, max: 32_767 }),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  uuid: fc.uuid(),
  string: fc.string({ unit: 'grapheme', maxLength: 60 }),
  bytes,
  records: bytes.map((buffer) => [buffer]),
};

/**
 * Any message of these fields, by the table; what the version lacks has its default, as after
 * decoding.
 */
export function messages(fields: readonly Field[]): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(Object.fromEntries(fields.map((field) => [field.name, values(field)])));
}

function values(field: Field): fc.Arbitrary<unknown> {
  if (!field.present) return fc.constant(field.fallback);
  const one = typeof field.type === 'string' ? primitives[field.type] : messages(field.type);
  const some = field.array ? fc.array(one, { maxLength: 4 }) : one;
  return field.nullable && field.fallback === null ? fc.option(some) : some;
}

export interface Shape {
  readonly struct: Struct;
  readonly version: number;
  readonly flexible: boolean;
}

/** Request and response of the api, in each of its versions. */
export function shapesOf(name: ApiName): Shape[] {
  const { versions, flexible, request, response } = apis[name];
  const all = Array.from({ length: versions[1] - versions[0] + 1 }, (_, index) => versions[0] + index);
  return all.flatMap((version) =>
    [request, response].map((struct: Struct) => ({ struct, version, flexible: version >= flexible })),
  );
}
