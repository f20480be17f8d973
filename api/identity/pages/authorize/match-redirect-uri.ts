import type { ClientRecord } from '../../../../domain/oauth-clients/client.ts';
import { isPlatformPages } from '../../../../domain/oauth-clients/platform-client.ts';

/** A loopback URI in its parts; nothing but plain digits between host and path. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?((?:[/?].*)?)$/;

/**
 * True when a redirect URI is one of the client's: the same string, character by character (RFC 9700, 4.1). A native app
 * listens on whatever port is free, so that a public client's registered loopback URI matches with any port (RFC 8252,
 * 7.3); host, path and query are still compared as strings. The platform's own pages are at one address and no other.
 */
export function isRegisteredRedirectUri(
  client: Pick<ClientRecord, 'clientId' | 'clientType' | 'redirectUris' | 'trustedClient'>,
  uri: string,
): boolean {
  if (!isPlain(uri)) return false;
  if (client.redirectUris.includes(uri)) return true;
  if (client.clientType !== 'public' || isPlatformPages(client)) return false;
  const wanted = loopbackParts(uri);
  if (wanted === null) return false;
  return client.redirectUris.some((registered) => {
    const parts = loopbackParts(registered);
    return parts !== null && parts.host === wanted.host && parts.rest === wanted.rest;
  });
}

/**
 * True where any program on the person's machine could have asked in the client's name: it has no secret, and the answer
 * goes to whoever listens there (RFC 8252, 8.6).
 */
export function isNativeApp(client: Pick<ClientRecord, 'clientType'>, redirectUri: string): boolean {
  return client.clientType === 'public' && loopbackParts(redirectUri) !== null;
}

/** Whatever is registered, a browser is never sent to a script, or to an address that two parsers read differently. */
function isPlain(uri: string): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/.test(uri) && !/[#\\]/.test(uri) && URL.canParse(uri);
}

function loopbackParts(uri: string): { host: string; rest: string } | null {
  const [, host, port, rest] = LOOPBACK.exec(uri) ?? [];
  if (host === undefined || rest === undefined) return null;
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return null;
  return { host, rest };
}
