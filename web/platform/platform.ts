import type { z } from 'zod';
import type { ServiceName } from '../../domain/services.ts';

/** A service whose API the console calls. */
export type PlatformService = Exclude<ServiceName, 'console'>;

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface PlatformRequest {
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** How long the answer may take, where the service does it while its caller waits; as long as pages wait otherwise. */
  readonly waitMs?: number;
}

/** One server-sent event of a service. */
export interface PlatformEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/**
 * The platform's APIs as the signed-in person may use them. Each method throws a FairleadError: the code and message that
 * the service answered with; UNAUTHORIZED when the session has ended; UNAVAILABLE when the service does not answer, or
 * answers with what nobody can read.
 */
export interface Platform {
  get<T>(service: PlatformService, path: string, reply: z.ZodType<T>, query?: Query): Promise<T>;
  send<T>(
    service: PlatformService,
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    reply: z.ZodType<T>,
    request?: PlatformRequest,
  ): Promise<T>;
  /** Events until the service ends them or `signal` aborts. @param lastEventId resumes after that event */
  follow(
    service: PlatformService,
    path: string,
    options: { readonly query?: Query; readonly lastEventId?: string | undefined; readonly signal: AbortSignal },
  ): AsyncIterable<PlatformEvent>;
}

/** A path of literal and variable parts: `pathOf('builds', id, 'logs')`. */
export function pathOf(...parts: readonly string[]): string {
  return `/${parts.map(segmentOf).join('/')}`;
}

/**
 * A part of a path, whatever its text is. Whoever resolves an address takes `.` and `..` as steps and an empty part as
 * none, encoded or not, and would call another route: such a text becomes one that nothing is called.
 */
export function segmentOf(text: string): string {
  const encoded = encodeURIComponent(text.toWellFormed());
  return /^\.{0,2}$/.test(text) ? `%25${encoded.replaceAll('.', '2E')}` : encoded;
}
