import { FairleadError } from '../../errors.ts';
import { EVERY_ORG, type GateCheck, ownerOf } from '../gate.ts';

/** The owner may deploy here. Of a service that another org deploys as well, the owner alone counts. */
export const orgAllowlist: GateCheck = async (request) => {
  const { allowedOrgs, platformOrg } = request.settings;
  const owner = ownerOf(request);
  const allowed = allowedOrgs.length === 0 ? [platformOrg] : allowedOrgs;
  if (allowed.includes(EVERY_ORG) || allowed.includes(owner)) return `The org ${owner} may deploy`;
  const message = `Deploy gate: org not allowed: ${owner} may not deploy here. The operator of the platform allows it with ALLOWED_DEPLOY_ORGS.`;
  throw new FairleadError('ORG_NOT_ALLOWED', message, { details: { org: owner } });
};
