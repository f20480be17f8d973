import type { SecretContext } from '../../config/ports.ts';
import type { SealedSecret } from '../../config/sealed-secret.ts';
import type { Page, PageRequest } from '../../page.ts';
import type { CertificateOwner, CertificateRecord, StoredCertificate, StoredOrder } from './certificate.ts';
import type { PlacedOrder } from './order-budget.ts';

/** What is known of certificates and orders: one record an owner, which its one workflow changes. */
export interface CertificateRecords {
  find(owner: CertificateOwner): Promise<CertificateRecord | null>;
  /**
   * Notes an order, unless there is one by then: of two workers, one order is gone on with.
   * @returns the order that is noted now
   */
  keepOrder(owner: CertificateOwner, order: StoredOrder): Promise<StoredOrder>;
  /** Ends an order; another one stays. */
  dropOrder(owner: CertificateOwner, url: string): Promise<void>;
  /** Makes what the order `url` came to the current certificate, and ends the order. */
  keepCertificate(owner: CertificateOwner, certificate: StoredCertificate, url: string): Promise<void>;
  /** Forgets an owner whose current certificate is the one of this fingerprint, null for none; another one stays. Idempotent. */
  remove(owner: CertificateOwner, fingerprint: string | null): Promise<void>;
  list(page: PageRequest): Promise<Page<CertificateRecord>>;
  /** Puts another sealed form of a key in its place, unless it was changed meanwhile. */
  reseal(owner: CertificateOwner, place: KeyPlace, key: Resealing): Promise<void>;
}

/** Where a record has a key. */
export const KEY_PLACES = ['order', 'current'] as const;
export type KeyPlace = (typeof KEY_PLACES)[number];

export interface Resealing {
  readonly from: SealedSecret;
  readonly to: SealedSecret;
}

/** Orders of the last week, of which the budget is kept. */
export interface OrderLog {
  /** Idempotent under its id, which may be that of another attempt to place the same order. */
  note(order: PlacedOrder & { readonly id: string; readonly domains: readonly string[] }): Promise<void>;
  noteFailure(id: string, names: readonly string[]): Promise<void>;
  /** Those with names that were added for these orgs, and those with names of these registrable domains, since then; each once. */
  since(
    time: Date,
    of: { readonly orgs: readonly string[]; readonly domains: readonly string[] },
  ): Promise<readonly PlacedOrder[]>;
}

/** The account at an authority. */
export interface AcmeAccount {
  readonly directoryUrl: string;
  /** PEM */
  readonly key: SealedSecret;
  /** Null until the authority has opened it. */
  readonly url: string | null;
}

export interface AcmeAccounts {
  find(directoryUrl: string): Promise<AcmeAccount | null>;
  /** Keeps it unless there is one. @returns the one that is kept now: of two workers, one account */
  keep(account: AcmeAccount): Promise<AcmeAccount>;
  noteUrl(directoryUrl: string, url: string): Promise<void>;
  list(page: PageRequest): Promise<Page<AcmeAccount>>;
  /** Puts another sealed form of the key in its place, unless it was changed meanwhile. */
  reseal(directoryUrl: string, key: Resealing): Promise<void>;
}

/** Where the key of an account belongs; a sealed one opens nowhere else. */
export const ACCOUNT_KEY_CONTEXT: SecretContext = { service: 'custom-domains', key: 'ACME_ACCOUNT_KEY' };
