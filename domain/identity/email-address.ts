/** Longest address that fits an SMTP path (RFC 5321, 4.5.3.1.3). */
export const MAX_EMAIL_LENGTH = 254;

const MAX_LOCAL_LENGTH = 64;
/** Letters and digits of any script, and the signs of an RFC 5322 atom: no blanks, quotes, commas or brackets. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
/** What a URL parser would read as something else than a host name. */
const HOST_DELIMITERS = /[\s/\\?#@:%[\]<>^|]/u;
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/** Personas' addresses end so; they have no mailbox (spec 1, "Persona"). */
const PERSONA_DOMAIN = 'personas.invalid';

/**
 * The one form of an address that accounts are known by: trimmed, Unicode NFC, lower case, the domain in ASCII
 * (`MÜLLER@Bücher.example` is `müller@xn--bcher-kva.example`). Null for what is no address: quoted local parts, address
 * literals and single-label domains are not taken.
 */
export function normalizeEmail(text: string): string | null {
  const address = text.trim().normalize('NFC').toLowerCase().normalize('NFC');
  if (address.length > MAX_EMAIL_LENGTH) return null;
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  const domain = asciiDomain(address.slice(at + 1));
  if (domain === null || local.length > MAX_LOCAL_LENGTH || !LOCAL_PART.test(local)) return null;
  const normalized = `${local}@${domain}`;
  return normalized.length > MAX_EMAIL_LENGTH ? null : normalized;
}

/** True for the address of a persona, to which nothing is ever sent. Expects a normalized address. */
export function isPersonaAddress(email: string): boolean {
  return email.endsWith(`@${PERSONA_DOMAIN}`) || email.endsWith(`.${PERSONA_DOMAIN}`);
}

/** The URL parser does the mapping of internationalized names (UTS #46); null when the result is no host name. */
function asciiDomain(domain: string): string | null {
  if (HOST_DELIMITERS.test(domain)) return null;
  const url = URL.parse(`http://${domain}`);
  return url !== null && url.hostname.length <= 253 && HOST_NAME.test(url.hostname) ? url.hostname : null;
}
