import { isKnownVersion } from '../network/request-frame.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { apiNames, apis } from '../protocol/messages/index.ts';
import type { Handler } from './context.ts';

/**
 * What is served, in which versions: every api of the table, since each has its handler. But
 * Produce is told of from version 0 on, as by Kafka (KAFKA-18659): librdkafka compresses with gzip,
 * snappy and lz4 only for a broker that says it has that version. It sends a later one.
 */
export const apiVersions: Handler<'ApiVersions'> = (exchange) => {
  const apiKeys = apiNames.map((name) => {
    const { key, versions } = apis[name];
    return { apiKey: key, minVersion: name === 'Produce' ? 0 : versions[0], maxVersion: versions[1] };
  });
  if (isKnownVersion('ApiVersions', exchange.version))
    exchange.respond({ errorCode: ErrorCode.NONE, apiKeys });
  else exchange.respondAsVersion0({ errorCode: ErrorCode.UNSUPPORTED_VERSION, apiKeys });
};
