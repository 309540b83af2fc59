/**
 * What a client may do with a topic, a group or the cluster, as the bits of Kafka's AclOperation.
 * There is no one to authorize here, so everyone may do all that Kafka has for such a thing, as on a
 * broker of Kafka without an authorizer. They are told to those who ask.
 */
const READ = 1 << 3;
const WRITE = 1 << 4;
const CREATE = 1 << 5;
const DELETE = 1 << 6;
const ALTER = 1 << 7;
const DESCRIBE = 1 << 8;
const CLUSTER_ACTION = 1 << 9;
const DESCRIBE_CONFIGS = 1 << 10;
const ALTER_CONFIGS = 1 << 11;
const IDEMPOTENT_WRITE = 1 << 12;

/** For those who do not ask. */
const NOT_TOLD = -(2 ** 31);

const Operations = {
  topic: READ | WRITE | CREATE | DELETE | ALTER | DESCRIBE | DESCRIBE_CONFIGS | ALTER_CONFIGS,
  group: READ | DELETE | DESCRIBE,
  cluster: CREATE | ALTER | DESCRIBE | CLUSTER_ACTION | DESCRIBE_CONFIGS | ALTER_CONFIGS | IDEMPOTENT_WRITE,
} as const;

export function authorizedOperations(of: keyof typeof Operations, isAsked: boolean): number {
  return isAsked ? Operations[of] : NOT_TOLD;
}
