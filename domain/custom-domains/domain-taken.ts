import { FairleadError } from '../errors.ts';
import { type Claimant, ownershipProof } from './ownership-proof.ts';

/** It names nobody. Who writes the DNS of the name can show so, which moves aside whoever did not. */
export function domainTaken(claim: Claimant): FairleadError {
  const proof = ownershipProof(claim);
  const message = `${claim.domain} is in use. If it is yours, publish TXT ${proof.name} ${proof.value} and add it again; if that changes nothing, ask the operator of the platform.`;
  return new FairleadError('DOMAIN_TAKEN', message, { details: { proof } });
}
