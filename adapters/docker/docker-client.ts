import Docker from 'dockerode';
import { type ErrorCode, FairleadError } from '../../domain/errors.ts';

/**
 * A connection to the container engine. `dockerHost` is the value of DOCKER_HOST (`unix://…` or `tcp://…`); without it
 * the engine's usual socket is used.
 */
export function createDockerClient(dockerHost?: string): Docker {
  if (dockerHost === undefined || dockerHost === '') return new Docker();
  if (dockerHost.startsWith('unix://')) return new Docker({ socketPath: dockerHost.slice('unix://'.length) });
  const { hostname, port } = new URL(dockerHost.includes('://') ? dockerHost : `tcp://${dockerHost}`);
  return new Docker({ host: hostname, port: port === '' ? 2375 : Number(port) });
}

/** The part of the engine's errors we read. */
interface EngineFault {
  readonly statusCode?: number;
  readonly code?: string;
  readonly message?: string;
  readonly json?: { readonly message?: string } | null;
}

/** HTTP status of an engine answer; null when the error did not come from one. */
export function engineStatus(error: unknown): number | null {
  return isFault(error) && typeof error.statusCode === 'number' ? error.statusCode : null;
}

/** With the body that follows: of whatever address a registry has led the engine to, such as one of this machine. */
const RESPONSE_BODY = /(?<=response body):[\s\S]*$/;

/** The engine's own words, without the wrapping of the client library, and without what others answered it. */
export function engineMessage(error: unknown): string {
  if (!isFault(error)) return String(error);
  const text = error.json?.message ?? error.message ?? String(error);
  return text
    .replace(/^\(HTTP code \d+\) [^-]*- /, '')
    .replace(RESPONSE_BODY, '')
    .trim();
}

const NO_SPACE = /no space left on device|ENOSPC|disk quota exceeded/i;

/** True when a message of the engine, the client or a build says that a disk is full. */
export function saysDiskFull(text: string): boolean {
  return NO_SPACE.test(text);
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/**
 * Turns an error of an engine call into the domain's: DISK_FULL, UNAVAILABLE when the engine does not answer, else
 * `code` with the engine's words. A retryable error is one that another attempt may not meet.
 */
export function engineError(
  error: unknown,
  doing: string,
  code: ErrorCode,
  options: { retryable?: boolean } = {},
): FairleadError {
  if (error instanceof FairleadError) return error;
  const message = engineMessage(error);
  if (saysDiskFull(message)) return diskFull(doing, error);
  if (engineStatus(error) === null && isFault(error) && error.code !== undefined) {
    if (UNREACHABLE.has(error.code)) return engineDown(error);
    if (error.code === 'EACCES') {
      const text = 'This user may not use the container engine: add it to the docker group, or set DOCKER_HOST';
      return new FairleadError('UNAVAILABLE', text, { cause: error });
    }
  }
  return new FairleadError(code, `${doing}: ${message}`, { cause: error, ...options });
}

export function engineDown(cause: unknown): FairleadError {
  const text = 'The container engine does not answer: start Docker, or set DOCKER_HOST to a running engine';
  return new FairleadError('UNAVAILABLE', text, { cause, retryable: true });
}

export function diskFull(doing: string, cause?: unknown): FairleadError {
  const text = `${doing}: no space left on the engine's disk; free some (docker system df shows what takes it) and retry`;
  return new FairleadError('DISK_FULL', text, { cause });
}

function isFault(error: unknown): error is EngineFault {
  return typeof error === 'object' && error !== null;
}
