import { parse } from 'tldts';

/** Why a text names no domain that can be a Property. */
export type DomainRefusal = 'not a domain' | 'an address' | 'a public suffix' | 'a name below an apex domain';

export type NormalisedDomain = { readonly domain: string } | { readonly refused: DomainRefusal };

/** RFC 1035, 2.3.4, without the final dot. */
const LONGEST = 253;
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * The domain of a Property from what people and maps write: scheme, credentials, port, path, a leading `www.` and the
 * final dot go, and labels of other scripts become A-labels (RFC 5891). What is left has to be an apex domain (spec 3,
 * "Property"): one label below a public suffix. Refused are public suffixes, which nobody owns, names further below,
 * addresses, and names that are not on the public internet.
 */
export function normaliseDomain(text: string): NormalisedDomain {
  const host = hostOf(text.trim());
  if (host === null) return { refused: 'not a domain' };
  const parsed = parse(host, { allowPrivateDomains: true });
  if (parsed.isIp === true) return { refused: 'an address' };
  const isName = host.length <= LONGEST && host.split('.').every((label) => LABEL.test(label));
  if (!isName || !host.includes('.') || (parsed.isIcann !== true && parsed.isPrivate !== true)) {
    return { refused: parsed.domain === null && parsed.isPrivate === true ? 'a public suffix' : 'not a domain' };
  }
  if (parsed.domain === null) return { refused: 'a public suffix' };
  const isApex = parsed.subdomain === '' || parsed.subdomain === 'www';
  return isApex ? { domain: parsed.domain } : { refused: 'a name below an apex domain' };
}

/** Lower case, in A-labels. Null where an URL parser finds no host. */
function hostOf(text: string): string | null {
  if (text === '' || /\s/.test(text)) return null;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text.replace(/^[^:]+/, 'http') : `http://${text}`);
  return url === null ? null : url.hostname.replace(/\.$/, '');
}
