import { expect } from 'chai';
import fc from 'fast-check';
import { decode, encode } from '../../protocol/codec.ts';
import { apiNames, apis } from '../../protocol/messages/index.ts';
import { ProtocolError, Reader } from '../../protocol/reader.ts';
import { fieldsOf, type Struct } from '../../protocol/schema.ts';
import { Writer } from '../../protocol/writer.ts';
import { messages, shapesOf } from '../support/messages.ts';

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
    expect([reader.int64(), reader.int64()]).to.deep.equal([
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
    ]);
  });

  it('refuses a notation that it does not understand, by its field', () => {
    expect(() => fieldsOf({ size: 'int33' }, 0)).to.throw('the field size has the notation "int33"');
  });
});
