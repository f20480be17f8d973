/** A record that says where a host leads. */
export interface AddressRecord {
  readonly type: 'A' | 'AAAA' | 'CNAME';
  readonly content: string;
}

export interface EnsuredRecord {
  readonly record: AddressRecord;
  /** `kept`: it led there already, whoever made it. */
  readonly outcome: 'created' | 'changed' | 'kept';
}

/**
 * Records of the zone that the platform's domain is in. The adapters come with domains of services; a deploy needs this
 * much of them. Names are chosen by who registers a service, `www` and `mail` among them: what somebody else put there is
 * never replaced.
 */
export interface DnsRecords {
  /**
   * Makes a host lead to the target alone. Idempotent: what leads there is kept. A record that the platform made before is
   * replaced. Other types, such as TXT and MX, neither block nor change.
   *
   * @param host in lower case, without a dot at its end
   * @param target an address (IPv4 or IPv6), or the name of a host
   * @throws DNS_RECORD_EXISTS when an address record of somebody else leads elsewhere, and nothing is changed; UNAVAILABLE
   *   (retryable, of the system `dns`), or the abort reason
   */
  ensure(host: string, target: string, signal?: AbortSignal): Promise<EnsuredRecord>;
}

/** What this installation manages of the DNS of its own domain. */
export interface PlatformDns {
  readonly records: DnsRecords;
  /** Where requests to services come in (INGRESS_TARGET): as of {@link DnsRecords.ensure}. */
  readonly target: string;
}

/** This version has no client of a DNS provider. */
export const NO_DNS: PlatformDns | null = null;

/** The record by which a host leads to a target. */
export function addressRecord(target: string): AddressRecord {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(target)) return { type: 'A', content: target };
  if (target.includes(':')) return { type: 'AAAA', content: target.toLowerCase() };
  return { type: 'CNAME', content: target.toLowerCase().replace(/\.$/, '') };
}
