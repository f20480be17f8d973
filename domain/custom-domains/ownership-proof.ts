import { createHash } from 'node:crypto';
import type { DomainMode } from './mode.ts';

/** A TXT record by which whoever holds the DNS of a name gives it to one service, or that of a zone to one org. */
export interface OwnershipProof {
  /** `_fairlead.<domain>` */
  readonly name: string;
  /** `fairlead-verify=…` */
  readonly value: string;
}

export interface Claimant {
  readonly domain: string;
  readonly apex: string;
  readonly mode: DomainMode;
  readonly serviceId: string;
  /** Slug of the service's owner: a service that went to another org proves anew. */
  readonly org: string;
  /** Slug of the org for which the name is claimed: the owner, or one that shares the service. */
  readonly claimant: string;
}

/** Where the proof of a registrable domain stands, and with it that of its zone. */
export const proofName = (domain: string): string => `_fairlead.${domain}`;

/**
 * The proof that a claimant has to publish; the same each time. It is no secret: only who writes the zone can publish it, and
 * it speaks for one service of one org, so that a record that was left behind helps no other. Where the platform writes the
 * records, it stands at the registrable domain and gives the whole zone to the org: once the zone is delegated to the
 * platform, its owner can publish nothing in it any more.
 */
export function ownershipProof({ domain, apex, mode, serviceId, org, claimant }: Claimant): OwnershipProof {
  if (mode === 'cloudflare' && claimant === org) return proofOf(apex, ['fairlead-zone', apex, org]);
  const sharer = claimant === org ? [] : [claimant];
  return proofOf(domain, ['fairlead-domain', domain, serviceId, org, ...sharer]);
}

function proofOf(domain: string, of: readonly string[]): OwnershipProof {
  const digest = createHash('sha256').update(JSON.stringify(of)).digest('hex');
  return { name: proofName(domain), value: `fairlead-verify=${digest.slice(0, 40)}` };
}
