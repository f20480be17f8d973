import { FairleadError } from '../errors.ts';
import type { ClientRecord } from './client.ts';

/** Path of the authorization callback of every service the builder makes a client for (spec 1, B 1). */
export const SERVICE_CALLBACK_PATH = '/api/auth/callback';

const MAX_LENGTH = 2_000;
/** Hosts that lead back to the machine of the person who is asked (RFC 6761, 6.3; RFC 8252, 7.3). */
const LOOPBACK_HOST = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** The parser of URLs drops or repairs these, so that what was registered would not be what was read. */
const UNPRINTABLE_OR_BACKSLASH = /[^\x21-\x7e]|\\/;

/**
 * A redirect URI as it is stored: scheme and host in lower case, default port left out.
 *
 * Allowed is an absolute https URI without fragment, user information and wildcard (RFC 9700, 2.1 and 4.1), and http to
 * a loopback host. Clients of services take one path alone, {@link SERVICE_CALLBACK_PATH}, without a query.
 *
 * @throws INVALID_REDIRECT_URI saying what is wrong, without repeating the URI: it may hold a credential
 */
export function checkRedirectUri(uri: string, client: Pick<ClientRecord, 'service'>): string {
  const url = parse(uri);
  const problem = problemOf(uri, url) ?? (client.service === null ? null : problemOfCallback(url));
  if (problem !== null) throw invalid(problem);
  // A host without a path and one with `/` are different strings to whoever compares exactly: the given one stays.
  const bare = url.pathname === '/' && url.search === '' && !uri.endsWith('/');
  return bare ? url.href.replace(/\/$/, '') : url.href;
}

/** Every URI of a list by {@link checkRedirectUri}, each once. @throws INVALID_REDIRECT_URI */
export function checkRedirectUris(uris: readonly string[], client: Pick<ClientRecord, 'service'>): string[] {
  return [...new Set(uris.map((uri) => checkRedirectUri(uri, client)))];
}

/** True for a host of the machine itself, as `URL.hostname` writes it. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK_HOST.test(hostname);
}

/** Where the callback of a service is, given its public address; null when that is neither https nor loopback. */
export function serviceCallback(publicUrl: string): string | null {
  const url = new URL(SERVICE_CALLBACK_PATH, publicUrl);
  return isAllowedOrigin(url) ? url.href : null;
}

function parse(uri: string): URL {
  if (uri.length > MAX_LENGTH) throw invalid(`it is longer than ${MAX_LENGTH} characters`);
  if (UNPRINTABLE_OR_BACKSLASH.test(uri)) throw invalid('it holds a blank, a backslash or a character to be encoded');
  if (!URL.canParse(uri)) throw invalid('it is not an absolute URI');
  return new URL(uri);
}

function problemOf(uri: string, url: URL): string | null {
  if (!/^https?:\/\//i.test(uri)) return 'it must begin with https://';
  if (!isAllowedOrigin(url)) return 'it must be https; http is for loopback hosts such as localhost and 127.0.0.1';
  if (uri.includes('#')) return 'it has a fragment';
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?]*@/i.test(uri)) return 'it has user information';
  if (uri.includes('*')) return 'it has a wildcard; register each URI by itself';
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(uri.replace(/[?#].*$/s, ''))) return 'its path has dot segments';
  return null;
}

function problemOfCallback(url: URL): string | null {
  if (url.pathname === SERVICE_CALLBACK_PATH && url.search === '' && !url.href.endsWith('?')) return null;
  return `the callback path of a service is ${SERVICE_CALLBACK_PATH}, exactly`;
}

function isAllowedOrigin(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}

function invalid(problem: string): FairleadError {
  return new FairleadError('INVALID_REDIRECT_URI', `Invalid Redirect URI: ${problem}`);
}
