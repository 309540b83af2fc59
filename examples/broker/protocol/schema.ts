/**
 * The notation of the message table, and the TypeScript types read off it.
 *
 * A message is an object of fields. A field is written as `'type versions = default'`:
 *
 *   'int32'             in every version                'string? 5+'       nullable, from version 5
 *   'int64 5+ = -1'     -1 where a version lacks it     'string 0-12'      versions 0 to 12
 *   'int32[]'           an array of primitives          [{ ... }, '? 7+']  a nullable array of
 *                                                      structures, from version 7
 *
 * A field that its version lacks decodes to its default, else to the type's zero (null where
 * nullable, an empty array). `int64` is a JavaScript number: offsets and timestamps stay far below
 * 2^53.
 */
export type Struct = { readonly [name: string]: FieldSpec };
type FieldSpec = string | readonly [Struct] | readonly [Struct, string];

type Primitives = {
  bool: boolean;
  int8: number;
  int16: number;
  int32: number;
  int64: number;
  uuid: string;
  string: string;
  bytes: Buffer;
  /** Record batches, kept as the buffers they are stored in so that a fetch copies nothing. */
  records: Buffer[];
};
export type Primitive = keyof Primitives;

type Bare<T extends string> = T extends `${infer E}?`
  ? Bare<E> | null
  : T extends `${infer E}[]`
    ? Bare<E>[]
    : T extends Primitive
      ? Primitives[T]
      : never;

type FieldValue<F> = F extends readonly [infer S extends Struct, `?${string}`]
  ? Message<S>[] | null
  : F extends readonly [infer S extends Struct, ...unknown[]]
    ? Message<S>[]
    : F extends `${infer T} ${string}`
      ? Bare<T>
      : F extends string
        ? Bare<F>
        : never;

/** A decoded message: every field is there. */
export type Message<S extends Struct> = { -readonly [N in keyof S]: FieldValue<S[N]> };

type Defaulted<S extends Struct> = {
  [N in keyof S]: S[N] extends `${string}=${string}` ? N : never;
}[keyof S];
type DraftValue<F> = F extends readonly [infer S extends Struct, `?${string}`]
  ? readonly Draft<S>[] | null
  : F extends readonly [infer S extends Struct, ...unknown[]]
    ? readonly Draft<S>[]
    : FieldValue<F>;

/** A message to encode: fields with a written default may be left out. */
export type Draft<S extends Struct> = { readonly [N in Exclude<keyof S, Defaulted<S>>]: DraftValue<S[N]> } & {
  readonly [N in Defaulted<S>]?: DraftValue<S[N]>;
};

/** One field as the codec wants it, for one version of its message. */
export interface Field {
  readonly name: string;
  readonly type: Primitive | readonly Field[];
  readonly array: boolean;
  readonly nullable: boolean;
  readonly present: boolean;
  readonly fallback: unknown;
}

/** Stands for a topic without an id. */
export const NO_TOPIC_ID = '00000000-0000-0000-0000-000000000000';

const ZERO: { readonly [P in Primitive]: unknown } = {
  bool: false,
  int8: 0,
  int16: 0,
  int32: 0,
  int64: 0,
  uuid: NO_TOPIC_ID,
  string: '',
  bytes: Buffer.alloc(0),
  records: [],
};

const compiled = new WeakMap<Struct, Map<number, readonly Field[]>>();

/**
 * The fields of `struct` in `version`, compiled once. Throws an Error that names a field whose
 * notation is wrong.
 */
export function fieldsOf(struct: Struct, version: number): readonly Field[] {
  const byVersion = compiled.get(struct) ?? new Map<number, readonly Field[]>();
  compiled.set(struct, byVersion);
  let fields = byVersion.get(version);
  if (fields === undefined) {
    fields = Object.entries(struct).map(([name, spec]) => compileField(name, spec, version));
    byVersion.set(version, fields);
  }
  return fields;
}

const NOTATION =
  /^(?<type>[a-z]+\d*)?(?<array>\[\])?(?<nullable>\?)?(?: ?(?<from>\d+)(?:\+|-(?<to>\d+)))?(?: = (?<fallback>.+))?$/;

function compileField(name: string, spec: FieldSpec, version: number): Field {
  const [struct, notation] = typeof spec === 'string' ? [undefined, spec] : [spec[0], spec[1] ?? ''];
  const parts = NOTATION.exec(notation)?.groups;
  if (parts === undefined || (struct === undefined && !((parts.type ?? '') in ZERO))) {
    throw new Error(
      `the field ${name} has the notation ${JSON.stringify(notation)}, which is not understood`,
    );
  }
  const array = struct !== undefined || parts.array !== undefined;
  const nullable = parts.nullable !== undefined;
  const zero = nullable ? null : array ? [] : ZERO[parts.type as Primitive];
  return {
    name,
    type: struct === undefined ? (parts.type as Primitive) : fieldsOf(struct, version),
    array,
    nullable,
    present: version >= Number(parts.from ?? 0) && version <= Number(parts.to ?? Number.POSITIVE_INFINITY),
    fallback: parts.fallback === undefined ? zero : JSON.parse(parts.fallback),
  };
}
