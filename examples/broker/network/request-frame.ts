/**
 * Reads a request frame: its header (api, version, correlation id, client id), then the message by
 * the table.
 */
import { decode } from '../protocol/codec.ts';
import { type ApiName, apiNames, apis } from '../protocol/messages/index.ts';
import { ProtocolError, Reader } from '../protocol/reader.ts';
import { Exchange, type ExchangeOwner, type Request } from './exchange.ts';
import { SIZE_BYTES } from './frames.ts';
import { describeUnserved } from './unserved-apis.ts';

/** What an array element takes in memory besides its bytes, waiting included. A round sum. */
const ELEMENT_BYTES = 256;
const namesByKey = new Map<number, ApiName>(apiNames.map((name) => [apis[name].key, name]));

/**
 * Throws ProtocolError for an unknown api, a version that it does not have, and a message that does
 * not parse. ApiVersions of an unknown version is none of these: its body cannot be read, but a
 * client that asks is owed the versions that there are (`isKnownVersion` is false then and the
 * request is empty).
 *
 * Bytes behind a message that was read in full are ignored, as Kafka does: librdkafka 2.12 sends
 * four of them with the metadata request for all topics (its issue #5049). The exchange says how
 * many there were.
 */
export function readRequest(frame: Buffer, owner: ExchangeOwner): Exchange {
  const reader = new Reader(frame);
  const bytes = SIZE_BYTES + frame.length;
  const key = reader.int16();
  const version = reader.int16();
  const correlationId = reader.int32();
  const name = namesByKey.get(key);
  if (name === undefined) throw new ProtocolError(describeUnserved(key));
  const api = apis[name];
  if (!isKnownVersion(name, version)) {
    if (name === 'ApiVersions') {
      const request = { clientSoftwareName: '', clientSoftwareVersion: '' };
      return new Exchange(owner, name, version, correlationId, '', request, bytes);
    }
    throw new ProtocolError(`${name} version ${version}, where ${api.versions.join(' to ')} are served`);
  }
  const flexible = version >= api.flexible;
  // The client id keeps its plain form in every version of the header.
  const clientId = reader.string(false) ?? '';
  if (flexible) reader.skipTags();
  const request = decode(reader, api.request, version, flexible) as Request<ApiName>;
  const memory = bytes + reader.elements * ELEMENT_BYTES;
  return new Exchange(owner, name, version, correlationId, clientId, request, memory, reader.remaining);
}

export function isKnownVersion(name: ApiName, version: number): boolean {
  const [min, max] = apis[name].versions;
  return version >= min && version <= max;
}
