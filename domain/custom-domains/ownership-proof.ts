import { createHash } from 'node:crypto';

/** A TXT record by which whoever holds the DNS of a name gives it to one service. */
export interface OwnershipProof {
  /** `_fairlead.<domain>` */
  readonly name: string;
  /** `fairlead-verify=…` */
  readonly value: string;
}

export interface Claimant {
  readonly domain: string;
  readonly serviceId: string;
  /** Slug of the service's owner: a service that went to another org proves anew. */
  readonly org: string;
}

/**
 * The proof that a claimant has to publish; the same each time. It is no secret: only who writes the zone can publish it,
 * and it speaks for one service of one org, so that a record that was left behind helps no other.
 */
export function ownershipProof({ domain, serviceId, org }: Claimant): OwnershipProof {
  const digest = createHash('sha256')
    .update(JSON.stringify(['fairlead-domain', domain, serviceId, org]))
    .digest('hex');
  return { name: `_fairlead.${domain}`, value: `fairlead-verify=${digest.slice(0, 40)}` };
}
