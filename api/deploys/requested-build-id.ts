import { createHash } from 'node:crypto';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import type { BuildStore } from '../../domain/deploys/build-store.ts';
import { FairleadError } from '../../domain/errors.ts';
import { formatId, type NewId } from '../../domain/ids.ts';
import type { Caller } from '../http/caller.ts';

/** The header by which attempts of one request are known, as the draft of the IETF calls it. */
const HEADER = 'idempotency-key';
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Told where a request for a build is described. */
export const ATTEMPTS_ARE_ONE = `With the header \`Idempotency-Key\`, all attempts of one request are answered as the first one, and make one build, whenever they arrive. Another request under the same key within 7 days is answered 422.`;

/** What is asked for, and how: all of it is the same in each attempt. */
export interface Attempt extends Pick<BuildRequest, 'serviceId' | 'environment' | 'kind'> {
  /** The build or service that the path names; null where the path names none. */
  readonly of: string | null;
  /** What the request says, as it came: its body, or its query and the digest of its body. */
  readonly payload: unknown;
}

/**
 * Id of the build that is asked for: a new one, or, under a key, the same for each attempt of this caller. The coordinator
 * knows a request by it.
 * @throws VALIDATION_FAILED for a key that is none; IDEMPOTENCY_KEY_MISMATCH where the caller asked for something else under
 *   it (draft-ietf-httpapi-idempotency-key-header, 2.7)
 */
export async function requestedBuildId(
  { newId, builds }: { readonly newId: NewId; readonly builds: Pick<BuildStore, 'claimKey'> },
  { caller, headers }: { readonly caller: Caller; readonly headers: Readonly<Record<string, unknown>> },
  { serviceId, environment, kind, of, payload }: Attempt,
): Promise<string> {
  const key = headers[HEADER];
  if (key === undefined) return newId('build');
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw refused('VALIDATION_FAILED', 'one value of 1 to 255 visible ASCII characters, such as a UUID');
  }
  const scope = [caller.kind, caller.name, caller.org, kind, of, key];
  const fingerprint = digest([serviceId, environment, payload]).toString('hex');
  if ((await builds.claimKey(digest(scope).toString('hex'), fingerprint)) !== fingerprint) {
    const message =
      'another request was sent under this key; use a new key for each request, and the same one to repeat it';
    throw refused('IDEMPOTENCY_KEY_MISMATCH', message);
  }
  return formatId('build', digest([...scope, fingerprint]));
}

function digest(value: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(value)).digest();
}

function refused(code: 'VALIDATION_FAILED' | 'IDEMPOTENCY_KEY_MISMATCH', why: string): FairleadError {
  const message = `Idempotency-Key: ${why}`;
  return new FairleadError(code, message, { details: [{ field: 'Idempotency-Key', message }] });
}
