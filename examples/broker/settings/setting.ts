/**
 * What a setting is, to those who describe and change it: the notation of both tables in this
 * folder.
 */

/** Kafka's ConfigResource.Type. */
export const ResourceType = { TOPIC: 2, BROKER: 4 } as const;
/** Kafka's ConfigSource. */
export const SettingSource = { TOPIC: 1, STATIC_BROKER: 4, DEFAULT: 5 } as const;
/** Kafka's ConfigType. */
export const SettingType = { BOOLEAN: 1, STRING: 2, INT: 3, LONG: 5, DOUBLE: 6, LIST: 7 } as const;

export interface Setting {
  readonly name: string;
  readonly type: number;
  readonly value: string;
  readonly source: number;
  readonly isReadOnly: boolean;
  readonly documentation: string;
}

/** A setting that cannot be had: `message` names it and the rule. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}
