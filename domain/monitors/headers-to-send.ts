import { headersProblem, secretsOf } from './check-headers.ts';
import type { MonitorCheck } from './check-kinds.ts';
import type { CheckSecret } from './check-secret.ts';
import { sendingProblem } from './check-secret.ts';

/** A secret as the worker has it. */
export interface OpenedSecret extends Pick<CheckSecret, 'name' | 'hosts'> {
  /** Null: it cannot be opened. */
  readonly value: string | null;
}

/** The request headers of a check as they are sent; or why it is not made, without a value of one. */
export type ProbedHeaders = { readonly send: Readonly<Record<string, string>> } | { readonly refused: string };

/**
 * The headers of a check with the values of their secrets. One that lacks a secret is not made without it: the answer would say
 * nothing. Nor is one that has a header which it could not be given now: somebody wrote it into the database, or an earlier version took it.
 * By lower-case names. Undefined: it has none.
 */
export function headersToSend(
  check: MonitorCheck,
  secrets: ReadonlyMap<string, OpenedSecret>,
  isPlatformHost: (host: string) => boolean,
): ProbedHeaders | undefined {
  if (check.kind !== 'http' || check.headers === undefined) return undefined;
  const malformed = headersProblem(check.headers);
  if (malformed !== null) return { refused: `its headers are not sent: ${malformed}` };
  const send: (readonly [string, string])[] = [];
  for (const header of check.headers) {
    const name = header.name.toLowerCase();
    if ('value' in header) {
      send.push([name, header.value]);
      continue;
    }
    const secret = secrets.get(header.secret);
    const problem =
      secret === undefined ? `there is no secret ${header.secret}` : sendingProblem(secret, check, isPlatformHost);
    if (problem !== null) return { refused: `${header.name} is not sent: ${problem}` };
    const value = secret?.value ?? null;
    if (value === null) return { refused: `${header.name} is not sent: set the secret ${header.secret} again` };
    send.push([name, value]);
  }
  // Also what objects have of their own, such as __proto__.
  return { send: Object.fromEntries(send) };
}

/** Whether a check sends secrets of its org. */
export function sendsSecrets(check: MonitorCheck): boolean {
  return check.kind === 'http' && secretsOf(check.headers).length > 0;
}
