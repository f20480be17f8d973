import { z } from 'zod';
import type { OrgDirectory } from '../../domain/org-directory.ts';
import { createIdpCall, type IdpConnection } from './idp-call.ts';

const orgSchema = z.looseObject({ slug: z.string() });

/** Which orgs there are, by the identity provider's own route. */
export function createOrgDirectory(connection: IdpConnection): OrgDirectory {
  const call = createIdpCall(connection);
  return {
    async requireOrg(slug) {
      await call(orgSchema, { method: 'GET', path: `/api/v2/orgs/${encodeURIComponent(slug)}` });
    },
  };
}
