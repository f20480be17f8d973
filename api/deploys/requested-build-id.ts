import { createHash } from 'node:crypto';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import { FairleadError } from '../../domain/errors.ts';
import { formatId, type NewId } from '../../domain/ids.ts';
import type { Caller } from '../http/caller.ts';

/** The header by which attempts of one request are known, as the draft of the IETF calls it. */
const HEADER = 'idempotency-key';
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Told where a request for a build is described. */
export const ATTEMPTS_ARE_ONE = `With the header \`Idempotency-Key\`, all attempts of one request are answered as the first one, and make one build, whenever they arrive.`;

/**
 * Id of the build that is asked for: a new one, or, under a key, the same for each attempt of this caller to build this
 * service so. The coordinator knows a request by it.
 * @throws VALIDATION_FAILED for a key that is none
 */
export function requestedBuildId(
  newId: NewId,
  { caller, headers }: { readonly caller: Caller; readonly headers: Readonly<Record<string, unknown>> },
  { serviceId, environment, kind }: Pick<BuildRequest, 'serviceId' | 'environment' | 'kind'>,
): string {
  const key = headers[HEADER];
  if (key === undefined) return newId('build');
  if (typeof key !== 'string' || !KEY.test(key)) {
    const message = 'Idempotency-Key: one value of 1 to 255 visible ASCII characters, such as a UUID';
    throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'Idempotency-Key', message }] });
  }
  const attempt = [caller.kind, caller.name, caller.org, serviceId, environment, kind, key];
  return formatId('build', createHash('sha256').update(JSON.stringify(attempt)).digest());
}
