import { isKnownVersion } from '../network/request-frame.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { apiNames, apis } from '../protocol/messages/index.ts';
import type { Handler } from './context.ts';

/** What is served, in which versions: every api of the table, since each has its handler. */
export const apiVersions: Handler<'ApiVersions'> = (exchange) => {
  const apiKeys = apiNames.map((name) => {
    const { key, versions } = apis[name];
    return { apiKey: key, minVersion: versions[0], maxVersion: versions[1] };
  });
  if (isKnownVersion('ApiVersions', exchange.version))
    exchange.respond({ errorCode: ErrorCode.NONE, apiKeys });
  else exchange.respondAsVersion0({ errorCode: ErrorCode.UNSUPPORTED_VERSION, apiKeys });
};
