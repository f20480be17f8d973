import type { ClientRecord } from './client.ts';

/**
 * The URL of a page of the client's own, or null: its origin must be that of a registered redirect URI, or one of the
 * client's custom domains by https. Links with secrets in them lead nowhere else.
 */
export function clientPage(client: Pick<ClientRecord, 'redirectUris' | 'customDomains'>, text: string): URL | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  if (url.username !== '' || url.password !== '' || url.hash !== '' || text.includes('#')) return null;
  // What a parser would repair, two parsers may read differently.
  if (/[\s\\\p{Cc}]/u.test(text)) return null;
  const registered = client.redirectUris.some((uri) => URL.parse(uri)?.origin === url.origin);
  const owned = url.protocol === 'https:' && url.port === '' && client.customDomains.includes(url.hostname);
  return registered || owned ? url : null;
}

/** The page with the token of a link in its query. */
export function withToken(page: URL, token: string): string {
  const url = new URL(page);
  url.searchParams.set('token', token);
  return url.href;
}
