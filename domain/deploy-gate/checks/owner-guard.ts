import { FairleadError } from '../../errors.ts';
import type { GateCheck } from '../gate.ts';

/** The catalog names the org that the service belongs to: no source moves a service, or its bill, to another org. */
export const ownerGuard: GateCheck = async ({ service, org, catalog: { owner } }) => {
  if (owner === null) return `The catalog names no owner, so ${service} is billed to ${org}`;
  if (owner === org) return `${service} belongs to ${org}, as spec.owner says`;
  const message = `Deploy gate: owner mismatch: spec.owner is ${owner}, and ${service} belongs to ${org}. Set spec.owner to ${org} in catalog-info.yaml.`;
  throw new FairleadError('SERVICE_OWNER_MISMATCH', message, { details: { field: 'spec.owner', owner, org } });
};
