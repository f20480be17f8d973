import {
  headersProblem,
  isHeaderName,
  isHeaderValue,
  MOST_HEADER_VALUE_CHARACTERS,
} from '../../domain/monitors/check-headers.ts';
import { MOST_SECRET_CHARACTERS } from '../../domain/monitors/check-secret.ts';
import type { WantedMonitor } from './wanted-monitor.ts';

/** What holds no credential: the values stand in the monitor. Every other value becomes a secret. */
const PLAIN: ReadonlySet<string> = new Set([
  ...['accept', 'accept-language', 'cache-control', 'content-type', 'origin', 'referer', 'user-agent'],
]);

export type ImportedHeaders = Pick<WantedMonitor, 'headers' | 'secretHeaders'>;

/**
 * Request headers of another program's check. @returns or why the check cannot be made here; in no case a value: a check without
 * them would find something else, and tell people so
 */
export function importedHeaders(
  given: Readonly<Record<string, string>> | undefined,
  url: string,
): ImportedHeaders | string {
  const all = Object.entries(given ?? {});
  if (all.length === 0) return {};
  const host = /^https?:/.test(url) ? URL.parse(url)?.host : undefined;
  if (host === undefined) return 'only checks over HTTP send headers here';
  const open = all.find(([, value]) => /\$\{?\w/.test(value));
  if (open !== undefined) {
    return `its header ${open[0]} has a variable of another program's environment: set the secret, by \`fairlead monitors set-secret <name> --host ${host}\`, and add the monitor with --header-secret ${open[0]}=<name>`;
  }
  if (!all.every(([name, value]) => isHeaderName(name) && isHeaderValue(value))) return 'one of its headers is none';
  const isPlain = ([name]: readonly [string, string]): boolean => PLAIN.has(name.toLowerCase());
  const long = all.find(
    (entry) => entry[1].length > (isPlain(entry) ? MOST_HEADER_VALUE_CHARACTERS : MOST_SECRET_CHARACTERS),
  );
  if (long !== undefined) return `the value of its header ${long[0]} is too long`;
  const secretHeaders = all.filter((entry) => !isPlain(entry)).map(([name, value]) => ({ name, value }));
  if (secretHeaders.length > 0 && !url.startsWith('https:')) {
    return `it sends ${secretHeaders.map(({ name }) => name).join(', ')} by plain http, where everybody reads it`;
  }
  const headers = all.filter(isPlain).map(([name, value]) => ({ name, value }));
  const problem = headersProblem([...headers, ...secretHeaders.map(({ name }) => ({ name, secret: 'a' }))]);
  if (problem !== null) return problem;
  return { ...(headers.length > 0 && { headers }), ...(secretHeaders.length > 0 && { secretHeaders }) };
}
