import { FairleadError } from '../../domain/errors.ts';
import type { MonitorResult, Problem } from '../../domain/monitors/check-result.ts';

/** What one check found, before it has a time. */
export type Finding = Pick<MonitorResult, 'outcome' | 'problem' | 'status' | 'message'>;

export const OK: Finding = { outcome: 'ok', problem: null, status: null, message: null };

export function failed(problem: Problem, message: string, status: number | null = null): Finding {
  return { outcome: 'failed', problem, status, message };
}

/** By the codes of Node, OpenSSL and c-ares. Their texts are left out: a target can write into them. */
const PROBLEMS_BY_CODE: Readonly<Record<string, readonly [Problem, string]>> = {
  ECONNREFUSED: ['refused', 'the connection was refused'],
  ECONNRESET: ['connection', 'the connection was cut off'],
  EPIPE: ['connection', 'the connection was cut off'],
  ETIMEDOUT: ['connection', 'nobody answered'],
  EHOSTUNREACH: ['connection', 'no way leads to the host'],
  ENETUNREACH: ['connection', 'no way leads to the network'],
  ENOTFOUND: ['dns', 'the name does not exist'],
  ENODATA: ['dns', 'the name has no address'],
  ESERVFAIL: ['dns', 'the DNS servers of the name failed'],
  EREFUSED: ['dns', 'the DNS server refused the question'],
  ETIMEOUT: ['dns', 'the DNS servers did not answer'],
  EBADNAME: ['dns', 'the name is none'],
  CERT_HAS_EXPIRED: ['certificate-expired', 'the certificate has expired'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['certificate-name', 'the certificate is for another name'],
  EPROTO: ['tls', 'the TLS handshake failed'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['tls', 'the certificate is signed by itself'],
  SELF_SIGNED_CERT_IN_CHAIN: ['tls', 'nobody that is trusted signed the certificate'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['tls', 'the server does not send the whole chain of its certificate'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['tls', 'nobody that is trusted signed the certificate'],
  CERT_NOT_YET_VALID: ['tls', 'the certificate is not valid yet'],
};

const FAMILIES: readonly (readonly [RegExp, Problem, string])[] = [
  [/^HPE_/, 'protocol', 'the answer is not HTTP'],
  [/^ERR_SSL_|^CERT_|^UNABLE_TO_|^ERR_TLS_/, 'tls', 'the TLS handshake failed'],
];

/** What an error says of the target. That the guard does not let the prober look says nothing of it. */
export function findingOfError(error: unknown): Finding {
  if (error instanceof FairleadError) return { ...failed('blocked-address', error.message), outcome: 'unknown' };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = Object.hasOwn(PROBLEMS_BY_CODE, code) ? PROBLEMS_BY_CODE[code] : undefined;
  if (known !== undefined) return failed(...known);
  const family = FAMILIES.find(([pattern]) => pattern.test(code));
  if (family !== undefined) return failed(family[1], `${family[2]} (${code})`);
  return failed('other', code === '' ? 'the connection was closed without an answer' : `the check failed: ${code}`);
}

/** What is thrown in the place of an answer. */
export function cutOff(): Error {
  return Object.assign(new Error('the connection was cut off'), { code: 'ECONNRESET' });
}
