import type { Route } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { grantRoutes } from './grant-routes.ts';
import { helpRoutes } from './help-routes.ts';
import { inviteRoutes } from './invite-routes.ts';
import { memberRoutes } from './member-routes.ts';
import { orgRecordRoutes } from './org-routes.ts';

/** Orgs, their people, invitations, grants, help and audit events. An org that the caller is not in answers 404. */
export function orgRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    ...orgRecordRoutes(deps),
    ...memberRoutes(deps),
    ...inviteRoutes(deps),
    ...grantRoutes(deps),
    ...helpRoutes(deps),
  ];
}
