/** A request header of an HTTP check. `secret` names a secret of the org, whose value is the whole value of the header. */
export type CheckHeader =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly secret: string };

export const MOST_HEADERS = 16;
export const MOST_SECRET_HEADERS = 3;
export const MOST_HEADER_NAME_CHARACTERS = 64;
/** Of a plain value. */
export const MOST_HEADER_VALUE_CHARACTERS = 1_000;
/** Names and plain values of all headers of a check together, in bytes. */
export const MOST_PLAIN_HEADER_BYTES = 4_096;

/**
 * What the check itself sets (RFC 9110, 7.6.1, and the framing of a message), and what says for which site a request is. `Host`,
 * `X-Forwarded-*` and the like would lead it, with its secrets, to another site than the host of its address: secrets are for hosts.
 */
const OF_THE_CHECK =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings|content-length|expect|accept-encoding|forwarded|x-forwarded-.*|x-(?:original-)?host|x-http-host-override)$/;

/** Their values are credentials, which stand in no monitor. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'x-api-key', 'x-auth-token']);

/** RFC 9110, 5.6.2: a token. */
const TOKEN = /^[!#$%&'*+.^_`|~\da-z-]+$/i;
/** RFC 9110, 5.5, without what is not ASCII: visible characters, with spaces and tabs between them alone. */
const VALUE = /^[!-~](?:[\t -~]*[!-~])?$/;

export function isHeaderName(text: string): boolean {
  return text.length <= MOST_HEADER_NAME_CHARACTERS && TOKEN.test(text);
}

/** Whether a text may be a value: no line break is one, so that nobody adds a header or a request by it. */
export function isHeaderValue(text: string): boolean {
  return VALUE.test(text);
}

/** Whether a header takes a secret alone. */
export function isCredential(name: string): boolean {
  return CREDENTIALS.has(name.toLowerCase());
}

/** Why a check cannot have these headers, without a value of one; null: it can. */
export function headersProblem(headers: readonly CheckHeader[]): string | null {
  if (!headers.every(isWellFormed))
    return 'one of them is none: its name or its value has characters that no header has';
  const names = headers.map(({ name }) => name.toLowerCase());
  const refused = headers.find(({ name }) => OF_THE_CHECK.test(name.toLowerCase()));
  if (refused !== undefined) return `${refused.name} is set by the check itself, or says for which site a request is`;
  const twice = headers.find(({ name }, index) => names.indexOf(name.toLowerCase()) !== index);
  if (twice !== undefined) return `${twice.name} is there twice`;
  const open = headers.find((header) => 'value' in header && isCredential(header.name));
  if (open !== undefined) return `${open.name} takes a secret: it is a credential`;
  if (headers.filter((header) => 'secret' in header).length > MOST_SECRET_HEADERS) {
    return `at most ${MOST_SECRET_HEADERS} headers have a secret`;
  }
  // All of it is ASCII: a character is a byte.
  const bytes = headers.reduce((sum, header) => sum + header.name.length + plainLength(header), 0);
  return bytes > MOST_PLAIN_HEADER_BYTES ? `they have more than ${MOST_PLAIN_HEADER_BYTES} bytes together` : null;
}

function isWellFormed(header: CheckHeader): boolean {
  return isHeaderName(header.name) && !('value' in header && !isHeaderValue(header.value));
}

function plainLength(header: CheckHeader): number {
  return 'value' in header ? header.value.length : 0;
}

/** Names of the secrets that these headers need. */
export function secretsOf(headers: readonly CheckHeader[] = []): readonly string[] {
  return [...new Set(headers.flatMap((header) => ('secret' in header ? [header.secret] : [])))];
}
