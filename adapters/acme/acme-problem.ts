import { FairleadError } from '../../domain/errors.ts';

/** An answer of an authority, as its client library has it. */
export interface AcmeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly data: unknown;
}

const PREFIX = 'urn:ietf:params:acme:error:';
/** Where an authority is overloaded and does not say for how long. */
const USUAL_SECONDS = 60;
const MOST_SECONDS = 24 * 3_600;

/** What an authority says in the details of a refusal (RFC 8555, section 6.7). */
export interface ProblemDetails {
  readonly status: number;
  /** Without the prefix all of them have, such as `rateLimited`; empty where it says none. */
  readonly type: string;
  /** The names that it is about, where it says so (RFC 8555, section 6.7.1). */
  readonly names: readonly string[];
}

/**
 * The error that an answer stands for; null for an answer that is none. A nonce that is refused is left to the library, which
 * asks again with the one it was given (RFC 8555, section 6.5).
 */
export function problemOf({ status, headers, data }: AcmeAnswer, now: () => Date): FairleadError | null {
  if (status < 400) return null;
  const { type, detail } = readProblem(data);
  if (type === 'badNonce') return null;
  const details: ProblemDetails = { status, type, names: namesOf(data) };
  if (type === 'rateLimited' || status === 429) {
    const retryAfterSeconds = secondsOf(headers['retry-after'], now()) ?? USUAL_SECONDS;
    const message = `The certificate authority takes no more of these for now: ${detail}`;
    return new FairleadError('RATE_LIMITED', message, { retryable: true, details: { ...details, retryAfterSeconds } });
  }
  if (status >= 500) {
    const retryAfterSeconds = secondsOf(headers['retry-after'], now());
    const more = retryAfterSeconds === null ? {} : { retryAfterSeconds };
    const message = `The certificate authority fails with ${status}: ${detail}`;
    return new FairleadError('UNAVAILABLE', message, { retryable: true, details: { ...details, ...more } });
  }
  return new FairleadError('CERTIFICATE_REFUSED', `The certificate authority refuses: ${detail}`, { details });
}

/** @returns null for an error of another kind */
export function detailsOf(error: unknown): ProblemDetails | null {
  if (!(error instanceof FairleadError) || typeof error.details !== 'object' || error.details === null) return null;
  const { status, type, names = [] } = error.details as Partial<ProblemDetails>;
  return status === undefined || type === undefined ? null : { status, type, names };
}

/** Seconds or a date (RFC 9110, section 10.2.3); null for neither. */
export function secondsOf(header: unknown, now: Date): number | null {
  if (typeof header !== 'string') return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now.getTime()) / 1_000;
  return Number.isFinite(seconds) ? Math.min(MOST_SECONDS, Math.max(1, Math.ceil(seconds))) : null;
}

/** The names that a problem is about, where its parts say so. */
export function namesOf(data: unknown): readonly string[] {
  if (typeof data !== 'object' || data === null || !('subproblems' in data) || !Array.isArray(data.subproblems))
    return [];
  return data.subproblems.flatMap((one) => {
    const value: unknown = one?.identifier?.value;
    return typeof value === 'string' ? [value] : [];
  });
}

const MOST_DETAIL = 500;

function readProblem(data: unknown): { readonly type: string; readonly detail: string } {
  if (typeof data !== 'object' || data === null) return { type: '', detail: 'it gives no reason' };
  const { type, detail, subproblems } = data as { type?: unknown; detail?: unknown; subproblems?: unknown };
  const more = Array.isArray(subproblems) ? subproblems.map((one) => readProblem(one).detail) : [];
  const text = [typeof detail === 'string' ? detail : 'it gives no reason', ...more].join('; ');
  return { type: typeof type === 'string' ? type.replace(PREFIX, '') : '', detail: text.slice(0, MOST_DETAIL) };
}
