/** Pages that a login may lead to. */
const DESTINATIONS: readonly string[] = [
  '/oauth/authorize',
  '/oauth/device',
  '/oauth/logout',
  '/account',
  '/account/confirm',
  '/invites/accept',
];

export const HOME = '/account';
/** Longer ones would not fit into the header of a request once they are escaped. */
export const MAX_RETURN_TO = 6_000;

/**
 * Where to go after a login. Only a path of our own that begins with one slash and is one of few pages; anything else is
 * the account page. Judged as a browser reads it (WHATWG URL): backslashes, tabs, dots and escapes included.
 */
export function localReturnTo(value: string | null | undefined): string {
  if (!value || value.length > MAX_RETURN_TO) return HOME;
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(value) || value.includes('\\') || value.includes('#')) return HOME;
  const base = 'http://local.invalid';
  if (!URL.canParse(value, base)) return HOME;
  const url = new URL(value, base);
  if (url.origin !== base || !DESTINATIONS.includes(url.pathname)) return HOME;
  return url.pathname + url.search;
}

/** `path` with `return_to` unless that is where one would come anyway. */
export function withReturnTo(path: string, returnTo: string): string {
  if (returnTo === HOME) return path;
  return `${path}${path.includes('?') ? '&' : '?'}return_to=${encodeURIComponent(returnTo)}`;
}
