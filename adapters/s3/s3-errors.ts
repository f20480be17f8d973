import { FairleadError } from '../../domain/errors.ts';
import {
  objectDamaged,
  objectNotFound,
  objectStoreFull,
  objectStoreRefused,
  objectStoreUnreachable,
} from '../../domain/objects/object-errors.ts';

const FULL = new Set([
  'InsufficientStorage',
  'NoSpaceLeft',
  'QuotaExceeded',
  'XMinioAdminBucketQuotaExceeded',
  'XMinioStorageFull',
]);

const DAMAGED = new Set([
  'BadDigest',
  'IncompleteBody',
  'InvalidDigest',
  'InvalidPart',
  'InvalidPartOrder',
  'NoSuchUpload',
  'XAmzContentChecksumMismatch',
  'XAmzContentSHA256Mismatch',
]);

/** What the client says of a call that failed: the code of the answer, if there was one, and its status. */
interface Failure {
  readonly code: string;
  readonly status: number | null;
}

export function failureOf(error: unknown): Failure {
  const { name, Code, code, $metadata } = error as {
    readonly name?: string;
    readonly Code?: string;
    readonly code?: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode ?? null;
  return { status, code: (status === null ? code : Code) ?? name ?? 'Error' };
}

/**
 * What a call failed with, in the words of the domain. Errors of the domain pass as they are.
 * @param about key of the object, or the prefix of keys
 */
export function asObjectError(error: unknown, about: string): FairleadError {
  if (error instanceof FairleadError) return error;
  const { code, status } = failureOf(error);
  // The error of the client holds the request, with its signature: no log gets it.
  const cause = new Error(status === null ? code : `${status} ${code}`);
  if (status === null) return objectStoreUnreachable(`does not answer (${code})`, cause);
  if (status === 507 || FULL.has(code)) return objectStoreFull(cause);
  if (DAMAGED.has(code)) return objectDamaged(about, code);
  if (code === 'NoSuchKey' || code === 'NotFound') return objectNotFound(about);
  if (status >= 500 || status === 408 || status === 429) {
    return objectStoreUnreachable(`cannot serve now (${status} ${code})`, cause);
  }
  // Nothing in an answer of 200 that was understood.
  if (status < 300) return objectStoreUnreachable(`answered ${status} in an unexpected format`, cause);
  return objectStoreRefused(`${status} ${code}`, cause);
}
