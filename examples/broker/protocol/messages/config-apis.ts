/** The settings of topics and brokers. */
import { api, throttleFrom } from './api.ts';

const altered = {
  throttleTimeMs: throttleFrom('0+'),
  responses: [{ errorCode: 'int16', errorMessage: 'string?', resourceType: 'int8', resourceName: 'string' }],
} as const;

export const configApis = {
  DescribeConfigs: api(
    32,
    [0, 4],
    4,
    {
      resources: [{ resourceType: 'int8', resourceName: 'string', configurationKeys: 'string[]?' }],
      includeSynonyms: 'bool 1+',
      includeDocumentation: 'bool 3+',
    },
    {
      throttleTimeMs: throttleFrom('0+'),
      results: [
        {
          errorCode: 'int16',
          errorMessage: 'string?',
          resourceType: 'int8',
          resourceName: 'string',
          configs: [
            {
              name: 'string',
              value: 'string?',
              readOnly: 'bool',
              isDefault: 'bool 0-0',
              configSource: 'int8 1+',
              isSensitive: 'bool',
              synonyms: [{ name: 'string', value: 'string?', source: 'int8' }, '1+'],
              configType: 'int8 3+',
              documentation: 'string? 3+',
            },
          ],
        },
      ],
    },
  ),
  AlterConfigs: api(
    33,
    [0, 2],
    2,
    {
      resources: [
        { resourceType: 'int8', resourceName: 'string', configs: [{ name: 'string', value: 'string?' }] },
      ],
      validateOnly: 'bool',
    },
    altered,
  ),
  IncrementalAlterConfigs: api(
    44,
    [0, 1],
    1,
    {
      resources: [
        {
          resourceType: 'int8',
          resourceName: 'string',
          configs: [{ name: 'string', configOperation: 'int8', value: 'string?' }],
        },
      ],
      validateOnly: 'bool',
    },
    altered,
  ),
} as const;
