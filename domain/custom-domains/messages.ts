import type { Environment } from '../environment.ts';
import type { DomainState } from './custom-domain.ts';
import type { DomainMode } from './mode.ts';

/** Names, ids and message types of the workflow of a name. */

export const DOMAIN_WORKFLOWS = { keepDomain: 'keepDomain', reconcileDomains: 'reconcileDomains' } as const;

export const DOMAIN_UPDATES = {
  add: 'addDomain',
  verify: 'verifyDomain',
  look: 'lookAtDomain',
  remove: 'removeDomain',
} as const;

export const DOMAIN_QUERIES = { state: 'domainState' } as const;

export const DOMAIN_SIGNALS = {
  /** Of its service's certificate, something changed for this name. */
  certificateChanged: 'certificateChanged',
} as const;

/** One workflow a name, in the whole installation. */
export const domainWorkflowId = (domain: string): string => `domain/${domain}`;

export interface KeepDomainInput {
  readonly domain: string;
}

export interface AddDomain {
  /** Given to whoever holds the name by it; the same request sent twice is one. */
  readonly id: string;
  readonly domain: string;
  readonly apex: string;
  readonly serviceId: string;
  readonly service: string;
  readonly org: string;
  /** As `DomainHolder` has them. */
  readonly claimant: string;
  readonly sharingRevision: number | null;
  readonly byAdministrator: boolean;
  readonly environment: Environment;
  readonly mode: DomainMode;
  readonly overwrite: boolean;
  /** Null to leave it as it is; false of a new name. */
  readonly canonical: boolean | null;
  readonly hsts: boolean | null;
  readonly addedBy: string;
  readonly requestId: string;
}

/** Whose name it is to be; anybody else's is left alone. */
export interface OfHolder {
  readonly domain: string;
  readonly serviceId: string;
  readonly by: string;
  readonly requestId: string;
}

export interface DomainProgress {
  readonly state: DomainState | 'removing' | 'gone';
  readonly reason: string | null;
}

/**
 * The way to the workflow of a name. What it answers with is read from the record.
 * @throws UNAVAILABLE (retryable) where Temporal or a worker does not answer
 */
export interface DomainCommands {
  /** @throws DOMAIN_TAKEN, DNS_RECORD_EXISTS, CONFLICT, DNS_PROVIDER_REFUSED, SAAS_UNAVAILABLE, RATE_LIMITED */
  add(request: AddDomain): Promise<void>;
  /** Leads the name to its service once more where that was lost, and looks at it now. @throws DOMAIN_NOT_FOUND */
  verify(of: OfHolder): Promise<void>;
  /** Looks at it now, and changes nothing else; resolves after some seconds at the latest. @throws DOMAIN_NOT_FOUND */
  look(of: OfHolder): Promise<void>;
  /** Resolves once all is undone, or with `removing` where that takes longer: it goes on by itself. @throws DOMAIN_NOT_FOUND */
  remove(of: OfHolder): Promise<'removed' | 'removing'>;
}
