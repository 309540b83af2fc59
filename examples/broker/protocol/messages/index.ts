/**
 * The messages of the Kafka protocol that this broker speaks, in the notation of schema.ts.
 *
 * Facts (names, order, types, versions) from Kafka's public message definitions; fields that only
 * older versions than ours have, and tagged fields, are left out.
 */
import { configApis } from './config-apis.ts';
import { groupApis } from './group-apis.ts';
import { offsetApis } from './offset-apis.ts';
import { recordApis } from './record-apis.ts';
import { topicApis } from './topic-apis.ts';

export const apis = { ...recordApis, ...topicApis, ...groupApis, ...offsetApis, ...configApis } as const;

export type ApiName = keyof typeof apis;
export const apiNames = Object.keys(apis) as ApiName[];
