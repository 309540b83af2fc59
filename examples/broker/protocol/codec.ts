/**
 * Interprets the message table: a structure plus a version gives the bytes, and back.
 *
 * A *flexible* version uses compact lengths and ends every structure with tagged fields (KIP-482);
 * the others do not. Stateless, O(size of the message).
 */
import { ProtocolError, type Reader } from './reader.ts';
import { type Draft, type Field, fieldsOf, type Message, type Primitive, type Struct } from './schema.ts';
import type { Writer } from './writer.ts';

/** Throws ProtocolError when the bytes are not such a message. */
export function decode<S extends Struct>(
  reader: Reader,
  struct: S,
  version: number,
  flexible: boolean,
): Message<S> {
  return readStruct(reader, fieldsOf(struct, version), flexible) as Message<S>;
}

export function encode<S extends Struct>(
  writer: Writer,
  struct: S,
  version: number,
  flexible: boolean,
  message: Draft<S>,
): void {
  writeStruct(writer, fieldsOf(struct, version), flexible, message as Record<string, unknown>);
}

function readStruct(reader: Reader, fields: readonly Field[], flexible: boolean): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  for (const field of fields) {
    message[field.name] = field.present ? readField(reader, field, flexible) : field.fallback;
  }
  if (flexible) reader.skipTags();
  return message;
}

function readField(reader: Reader, field: Field, flexible: boolean): unknown {
  const { type } = field;
  if (!field.array) return notNull(readPrimitive(reader, type as Primitive, flexible), field);
  const length = reader.arrayLength(flexible);
  if (length === null) return notNull(null, field);
  const elements: unknown[] = [];
  for (let index = 0; index < length; index++) {
    elements.push(
      typeof type === 'string'
        ? notNull(readPrimitive(reader, type, flexible), field)
        : readStruct(reader, type, flexible),
    );
  }
  return elements;
}

function notNull(value: unknown, field: Field): unknown {
  if (value === null && !field.nullable) throw new ProtocolError(`the field ${field.name} may not be null`);
  return value;
}

function readPrimitive(reader: Reader, type: Primitive, flexible: boolean): unknown {
  if (type === 'string' || type === 'bytes') return reader[type](flexible);
  if (type !== 'records') return reader[type]();
  const records = reader.bytes(flexible);
  return records === null ? null : [records];
}

function writeStruct(
  writer: Writer,
  fields: readonly Field[],
  flexible: boolean,
  message: Record<string, unknown>,
): void {
  for (const field of fields) {
    if (field.present) writeField(writer, field, flexible, message[field.name] ?? field.fallback);
  }
  if (flexible) writer.noTags();
}

function writeField(writer: Writer, field: Field, flexible: boolean, value: unknown): void {
  const { type } = field;
  if (!field.array) {
    writePrimitive(writer, type as Primitive, flexible, value);
    return;
  }
  const elements = value as unknown[] | null;
  writer.arrayLength(elements === null ? null : elements.length, flexible);
  for (const element of elements ?? []) {
    if (typeof type === 'string') writePrimitive(writer, type, flexible, element);
    else writeStruct(writer, type, flexible, element as Record<string, unknown>);
  }
}

function writePrimitive(writer: Writer, type: Primitive, flexible: boolean, value: unknown): void {
  if (type === 'string' || type === 'bytes' || type === 'records') writer[type](value as never, flexible);
  else writer[type](value as never);
}
