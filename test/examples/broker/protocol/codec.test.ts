import { expect } from 'chai';
import fc from 'fast-check';
import { decode, encode } from '../../../../examples/broker/protocol/codec.ts';
import { type ApiName, apiNames, apis } from '../../../../examples/broker/protocol/messages/index.ts';
import { ProtocolError, Reader } from '../../../../examples/broker/protocol/reader.ts';
import { type Field, fieldsOf, type Struct } from '../../../../examples/broker/protocol/schema.ts';
import { Writer } from '../../../../examples/broker/protocol/writer.ts';

const INT64 = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
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

/** Any message of these fields; what the version lacks has its default, as after decoding. */
function messages(fields: readonly Field[]): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(Object.fromEntries(fields.map((field) => [field.name, values(field)])));
}

function values(field: Field): fc.Arbitrary<unknown> {
  if (!field.present) return fc.constant(field.fallback);
  const one = typeof field.type === 'string' ? primitives[field.type] : messages(field.type);
  const some = field.array ? fc.array(one, { maxLength: 4 }) : one;
  return field.nullable && field.fallback === null ? fc.option(some) : some;
}

interface Shape {
  readonly struct: Struct;
  readonly version: number;
  readonly flexible: boolean;
}

/** Request and response of the api, in each of its versions. */
function shapesOf(name: ApiName): Shape[] {
  const { versions, flexible, request, response } = apis[name];
  const all = Array.from({ length: versions[1] - versions[0] + 1 }, (_, index) => versions[0] + index);
  return all.flatMap((version) =>
    [request, response].map((struct: Struct) => ({ struct, version, flexible: version >= flexible })),
  );
}

function toBytes(struct: Struct, version: number, flexible: boolean, message: unknown): Buffer {
  const writer = new Writer();
  encode(writer, struct, version, flexible, message as never);
  return Buffer.concat(writer.finish()).subarray(4);
}

describe('the codec of the broker', () => {
  for (const name of apiNames) {
    it(`reads back any ${name} of any version that it wrote, and refuses it cut short`, () => {
      for (const { struct, version, flexible } of shapesOf(name)) {
        fc.assert(
          fc.property(messages(fieldsOf(struct, version)), fc.nat(), (message, cut) => {
            const encoded = toBytes(struct, version, flexible, message);
            const reader = new Reader(encoded);
            expect(decode(reader, struct, version, flexible)).to.deep.equal(message);
            expect(reader.remaining).to.equal(0);
            if (encoded.length === 0) return;
            const short = encoded.subarray(0, cut % encoded.length);
            expect(() => decode(new Reader(short), struct, version, flexible)).to.throw(ProtocolError);
          }),
          { numRuns: 10 },
        );
      }
    });
  }

  it('reads random bytes as a message or refuses them, and does nothing else', () => {
    const some = apiNames.flatMap(shapesOf);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(some.length - 1), (array, index) => {
        const { struct, version, flexible } = some[index];
        try {
          decode(new Reader(Buffer.from(array)), struct, version, flexible);
        } catch (error) {
          expect(error).to.be.instanceOf(ProtocolError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('writes a plain and a flexible message byte for byte as Kafka does', () => {
    const { request } = apis.Heartbeat;
    const message = { groupId: 'g1', generationId: 3, memberId: 'm', groupInstanceId: null };
    expect(toBytes(request, 2, false, message).toString('hex')).to.equal('00026731' + '00000003' + '00016d');
    expect(toBytes(request, 3, false, message).toString('hex')).to.equal(
      '00026731' + '00000003' + '00016d' + 'ffff',
    );
    expect(toBytes(request, 4, true, message).toString('hex')).to.equal(
      '036731' + '00000003' + '026d' + '00' + '00',
    );
  });

  it('skips tagged fields that it does not know', () => {
    const tagged = Buffer.from(`036731${'00000003'}026d00${'02' + '0003aabbcc' + '070101'}`, 'hex');
    const reader = new Reader(tagged);
    expect(decode(reader, apis.Heartbeat.request, 4, true)).to.include({
      groupId: 'g1',
      generationId: 3,
      memberId: 'm',
    });
    expect(reader.remaining).to.equal(0);
  });

  it('refuses null where a message has none, and counts that a frame cannot hold', () => {
    const { request } = apis.Heartbeat;
    expect(() => decode(new Reader(Buffer.from('ffff', 'hex')), request, 0, false)).to.throw(
      ProtocolError,
      'groupId',
    );
    const huge = Buffer.from('7fffffff', 'hex');
    expect(() => decode(new Reader(huge), apis.DescribeGroups.request, 0, false)).to.throw(
      ProtocolError,
      '2147483647',
    );
    const many = Buffer.concat([Buffer.from([0, 2, 0, 0]), Buffer.alloc(2 * 0x20000)]);
    expect(() => decode(new Reader(many), apis.DescribeGroups.request, 0, false)).to.throw(
      ProtocolError,
      'elements',
    );
  });

  it('reads 64-bit numbers beyond the safe integers as the nearest safe one', () => {
    const reader = new Reader(Buffer.from('7fffffffffffffff8000000000000000', 'hex'));
    expect([reader.int64(), reader.int64()]).to.deep.equal([INT64.max, INT64.min]);
  });

  it('refuses a notation that it does not understand, by its field', () => {
    expect(() => fieldsOf({ size: 'int33' }, 0)).to.throw('the field size has the notation "int33"');
  });
});
