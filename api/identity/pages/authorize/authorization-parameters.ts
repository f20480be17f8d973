import { FairleadError } from '../../../../domain/errors.ts';

/** The request's parameters by name, repeated ones with each of their values. */
export type Parameters = ReadonlyMap<string, readonly string[]>;

/** The only ones that may be given more than once (RFC 8707, 2). */
const REPEATABLE: readonly string[] = ['resource', 'audience'];

export function readParameters(query: string): Parameters {
  const parameters = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    // A parameter without a value counts as left out (RFC 6749, 3.1).
    if (value !== '') parameters.set(name, [...(parameters.get(name) ?? []), value]);
  }
  return parameters;
}

/** The query of a path and query as they were asked for. */
export function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

/**
 * The value of a parameter; null when it was left out.
 * @throws OAUTH_INVALID_REQUEST when it is there twice or longer than `max` characters
 */
export function single(parameters: Parameters, name: string, max = 512): string | null {
  const [value, ...more] = parameters.get(name) ?? [];
  if (more.length > 0) throw invalidRequest(`${name} was given more than once`);
  if (value !== undefined && value.length > max) throw invalidRequest(`${name} is longer than ${max} characters`);
  return value ?? null;
}

/** @throws OAUTH_INVALID_REQUEST when any other than the repeatable ones is there twice (RFC 6749, 3.1) */
export function refuseRepeated(parameters: Parameters): void {
  for (const [name, values] of parameters) {
    if (values.length > 1 && !REPEATABLE.includes(name)) throw invalidRequest('a parameter was given more than once');
  }
}

export function invalidRequest(message: string): FairleadError {
  return new FairleadError('OAUTH_INVALID_REQUEST', message);
}
