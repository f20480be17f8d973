/**
 * How a name is led to a service (spec 2, "Custom domains").
 *
 * - `cloudflare`: the platform writes the record into a zone of its own DNS provider;
 * - `external`: the customer sets one CNAME to the shared customers target, and the provider's edge serves TLS;
 * - `direct`: the customer sets an address record to the platform, which serves TLS itself.
 */
export const DOMAIN_MODES = ['cloudflare', 'external', 'direct'] as const;

export type DomainMode = (typeof DOMAIN_MODES)[number];

/** A record that says where a name leads. */
export interface AddressRecord {
  readonly type: 'A' | 'AAAA' | 'CNAME';
  /** An address, or the name of a host in lower case without a final dot. */
  readonly content: string;
}

/** The record by which a name leads to a target: an address, or the name of a host. */
export function recordTo(target: string): AddressRecord {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(target)) return { type: 'A', content: target };
  if (target.includes(':')) return { type: 'AAAA', content: target.toLowerCase() };
  return { type: 'CNAME', content: bareName(target) };
}

/** A name as DNS compares them: in lower case, without the final dot (RFC 4343). */
export function bareName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** Whether a name is another one, or stands below it. */
export function isWithin(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}
