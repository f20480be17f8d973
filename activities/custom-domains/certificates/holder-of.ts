import type { CertificateOwner } from '../../../domain/custom-domains/certificates/certificate.ts';
import { isHeld, wantsCertificate } from '../../../domain/custom-domains/custom-domain.ts';
import type { CustomDomainStore } from '../../../domain/custom-domains/ports.ts';

/** Whose certificate a name is to be served with, as its record says; null for nobody's. @throws UNAVAILABLE (retryable) */
export type HolderOf = (host: string) => Promise<CertificateOwner | null>;

export function createHolderOf({ domains }: { readonly domains: Pick<CustomDomainStore, 'find'> }): HolderOf {
  return async (host) => {
    const record = await domains.find(host);
    if (!isHeld(record) || !wantsCertificate(record.holder)) return null;
    const { service, environment } = record.holder;
    return { service, environment };
  };
}
