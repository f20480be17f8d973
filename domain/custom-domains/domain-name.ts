import { parse } from 'tldts';
import { bareName, isWithin } from './mode.ts';

/** A name of a service's own. */
export interface DomainName {
  /** In A-labels (RFC 5891) and lower case, without a final dot. */
  readonly domain: string;
  /** The registrable domain: one label below a public suffix, as `example.co.uk` of `shop.example.co.uk`. */
  readonly apex: string;
}

/** What belongs to the installation and to no service. */
export interface PlatformNames {
  /** PLATFORM_DOMAIN: each name in it is given by the platform. */
  readonly platformDomain: string;
  /** Hosts of the platform's own parts, and those that names of services lead to. */
  readonly hosts: readonly string[];
}

export type ReadDomainName = { readonly name: DomainName } | { readonly refused: string };

/** Less than the 253 of RFC 1035, 2.3.4: files of routes are named like it. */
const LONGEST = 240;
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** Names that the public DNS does not have (RFC 6761, 6762, 7686, 8375, 9476, and `.internal`). */
const NOT_PUBLIC = ['localhost', 'local', 'test', 'invalid', 'example', 'onion', 'internal', 'arpa', 'alt'];

interface Refusal {
  readonly when: (text: string) => boolean;
  readonly because: string;
}

/** What can be told of the text as it was written. The first that applies is the message, which says what to do. */
const OF_TEXT: readonly Refusal[] = [
  { when: (text) => text === '', because: 'name a domain, such as shop.example.com' },
  { when: (text) => text.length > 2_000, because: `it is longer than ${LONGEST} characters` },
  {
    when: (text) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text),
    because: 'leave out what stands before the name, such as https://',
  },
  {
    when: (text) => /^\[|::|^[\da-f]*:[\da-f:.]+$/i.test(text),
    because: 'an address is no domain: name one, such as shop.example.com',
  },
  {
    when: (text) => text.includes('@'),
    because: 'an e-mail address or user is no domain: name what stands after the @',
  },
  { when: (text) => /[/\\?#]/.test(text), because: 'leave out the path: a domain is the name of a host alone' },
  { when: (text) => text.includes(':'), because: 'leave out the port: services are served on 443 and 80' },
  { when: (text) => text.includes('*'), because: 'a wildcard stands for no single name: add each name by itself' },
  { when: (text) => /\s/u.test(text), because: 'it has a blank in it' },
  {
    when: (text) => /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/u.test(text),
    because: 'it has an invisible character in it: type it anew',
  },
  { when: (text) => text.includes('_'), because: 'the name of a host has no underscore: use a hyphen' },
  { when: (text) => text.includes('%'), because: 'write the name itself, without percent-encoding' },
  {
    when: (text) => /[^\p{L}\p{M}\p{N}.\-\u00b7\u0375\u05f3\u05f4\u30fb\u3002\uff0e\uff61]/u.test(text),
    because: 'it has a character that names of hosts have not',
  },
  { when: (text) => /^[.\u3002\uff0e\uff61]/u.test(text), because: 'it begins with a dot' },
  { when: (text) => /[.\u3002\uff0e\uff61]{2}/u.test(text), because: 'there is nothing between two of its dots' },
];

/**
 * The name that a person wrote, as it is stored: trimmed, in lower case, in A-labels, without the final dot. Refused with
 * what to do about it are addresses, public suffixes, wildcards, whatever is not on the public internet, and the names of
 * the platform itself.
 */
export function readDomainName(written: string, platform: PlatformNames): ReadDomainName {
  const text = written.trim();
  const refusal = OF_TEXT.find(({ when }) => when(text));
  if (refusal !== undefined) return { refused: refusal.because };
  const host = toHost(text);
  if (host === null) return { refused: 'it is not a valid name: see its spelling, and labels that begin with xn--' };
  const parsed = parse(host, { allowPrivateDomains: true });
  if (parsed.isIp === true) return { refused: 'an address is no domain: name one, such as shop.example.com' };
  const refused = refusalOfLabels(host) ?? refusalOfSuffix(host, parsed) ?? refusalOfPlatform(host, platform);
  if (refused !== null) return { refused };
  return parsed.domain === null
    ? { refused: 'nobody can register it' }
    : { name: { domain: host, apex: parsed.domain } };
}

/** In A-labels and lower case; null where an URL parser finds no host. It writes numbers as the addresses that they are. */
function toHost(text: string): string | null {
  const url = URL.parse(`http://${text}/`);
  return url === null || url.hostname === '' ? null : bareName(url.hostname);
}

function refusalOfLabels(host: string): string | null {
  const labels = host.split('.');
  if (host.length > LONGEST) return `it is longer than ${LONGEST} characters`;
  if (labels.some((label) => label.length > 63)) return 'a part between two dots is longer than 63 characters';
  if (labels.some((label) => /^-|-$/.test(label))) return 'a part of it begins or ends with a hyphen';
  if (labels.some((label) => /^(?!xn)..--/.test(label))) {
    return 'two hyphens in the third and fourth place are reserved, and no authority issues a certificate for them';
  }
  if (!labels.every((label) => LABEL.test(label))) return 'it has a character that names of hosts have not';
  return labels.length === 1 ? 'one word is no domain: name all of it, such as shop.example.com' : null;
}

function refusalOfSuffix(host: string, parsed: ReturnType<typeof parse>): string | null {
  const suffix = NOT_PUBLIC.find((name) => isWithin(host, name));
  if (suffix !== undefined) return `names in .${suffix} are not on the public internet`;
  if (parsed.domain === null && (parsed.isIcann === true || parsed.isPrivate === true)) {
    return `under ${host} others register names: name a domain below it`;
  }
  if (parsed.isIcann !== true && parsed.isPrivate !== true)
    return `there is no top-level domain .${host.split('.').at(-1)}`;
  return null;
}

function refusalOfPlatform(host: string, { platformDomain, hosts }: PlatformNames): string | null {
  if (isWithin(host, bareName(platformDomain))) return `names in ${bareName(platformDomain)} are given by the platform`;
  return hosts.some((own) => bareName(own) === host) ? 'it is a name of the platform itself' : null;
}
