// The host names under which the inspector answers.
//
// Ground rules. A page from outside can make its own name resolve to this machine, and then read
// what answers here under that name (DNS rebinding). So the inspector answers only names that no
// outsider can use: loopback names, IP addresses, and the names that the user lists.

import { isIP } from 'node:net';
import { invalidArgType, invalidArgValue } from '../../base/node-errors.ts';

const LOOPBACK = 'localhost';

/**
 * @throws TypeError (Node's codes) for a value that is neither 'any' nor an array of host names
 * without a port.
 */
export function checkedHosts(hosts: unknown): ReadonlySet<string> | 'any' {
  if (hosts === undefined) return new Set();
  if (hosts === 'any') return hosts;
  if (!Array.isArray(hosts)) throw invalidArgType('options.hosts', "'any', or an instance of Array", hosts);
  for (const host of hosts) {
    if (typeof host !== 'string') throw invalidArgType('options.hosts', 'an array of strings', host);
    if (!/^[^\s/:@?#]+$/.test(host)) {
      throw invalidArgValue('options.hosts', 'must be names without scheme, port or path', host);
    }
  }
  return new Set(hosts.map((host) => host.toLowerCase()));
}

/** The name in a Host header that must be refused. Undefined: answer. */
export function refusedHost(
  header: string | undefined,
  hosts: ReadonlySet<string> | 'any',
): string | undefined {
  if (hosts === 'any') return undefined;
  const [, address, name] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(header ?? '') ?? [];
  if (isIP(address ?? name ?? '') !== 0) return undefined;
  const asked = (name ?? '').toLowerCase();
  return asked === LOOPBACK || asked.endsWith(`.${LOOPBACK}`) || hosts.has(asked)
    ? undefined
    : (header ?? '');
}
