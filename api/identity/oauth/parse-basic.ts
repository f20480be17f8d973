import { FairleadError } from '../../../domain/errors.ts';

const PATTERN = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Client id and secret of a Basic header. Both are form-urlencoded before they are joined (RFC 6749, 2.3.1), so that an
 * id may hold a colon. Null when the header is of another scheme.
 * @throws OAUTH_INVALID_REQUEST for one that says Basic and cannot be read.
 */
export function parseBasic(authorization: string | undefined): ClientCredentials | null {
  if (authorization === undefined || !/^Basic\b/i.test(authorization)) return null;
  const encoded = PATTERN.exec(authorization)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const clientId = colon === -1 ? null : decode(text.slice(0, colon));
  const clientSecret = colon === -1 ? null : decode(text.slice(colon + 1));
  if (clientId === null || clientSecret === null || clientId === '') {
    throw new FairleadError('OAUTH_INVALID_REQUEST', 'The Authorization header is not a valid Basic credential');
  }
  return { clientId, clientSecret };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
