import { z } from 'zod';
import { type ServiceRecord, SHARING_CHANGES, type SharingChange } from '../catalog/service.ts';
import { orgSlugSchema } from '../org-slug.ts';
import { REPO_ROLES } from '../repo-role.ts';

/** Shapes of authorized orgs as the API takes and shows them (spec 2, "Authorized orgs"; what it does not show is ours). */

const repoRole = z.enum(REPO_ROLES);

export const authorizeOrgBodySchema = z.strictObject({
  orgSlug: orgSlugSchema.describe('The org whose members may use the service as those of its owner'),
  repoRole: repoRole
    .nullable()
    .default(null)
    .describe('Role on the repository at the git host; null keeps what the org has, or write for a new one'),
});

export const authorizedOrgsViewSchema = z.object({
  service: z.string(),
  owner: z.string().describe('The org that owns the service: it pays, and its admins alone change this list'),
  revision: z.int().nonnegative(),
  authorizedOrgs: z.array(
    z.object({
      orgSlug: z.string(),
      repoRole,
      authorizedBy: z.string(),
      authorizedAt: z.iso.datetime(),
    }),
  ),
});

export type AuthorizedOrgsView = z.output<typeof authorizedOrgsViewSchema>;

/** What is left of an org that was taken out. */
export const deauthorizedViewSchema = authorizedOrgsViewSchema.extend({
  openBuilds: z.array(z.string()).describe('Builds that the org asked for and that have not ended: they go on'),
  clients: z
    .array(z.string())
    .describe(
      'OAuth clients of the service: what the org added to them is removed, as far as it is known who added it. Of entries of before that was kept it is not, and these stay',
    ),
  deployAgain: z
    .array(z.string())
    .describe(
      'Clients of which the service was given a secret that the org asked for: only the next deploy replaces it',
    ),
});

export function authorizedOrgsView({
  name,
  org,
  sharing,
}: Pick<ServiceRecord, 'name' | 'org' | 'sharing'>): AuthorizedOrgsView {
  const authorizedOrgs = sharing.orgs.map(({ org: orgSlug, authorizedAt, ...entry }) => ({
    orgSlug,
    ...entry,
    authorizedAt: authorizedAt.toISOString(),
  }));
  return { service: name, owner: org, revision: sharing.revision, authorizedOrgs };
}

export const sharingHistoryEntrySchema = z.object({
  id: z.string(),
  change: z.enum(SHARING_CHANGES),
  orgSlug: z.string(),
  repoRole: repoRole.nullable().describe('After the change; null for an org that was taken out'),
  changedBy: z.string(),
  at: z.iso.datetime(),
});

export function sharingHistoryView({
  id,
  kind,
  org,
  repoRole: role,
  by,
  at,
}: SharingChange): z.output<typeof sharingHistoryEntrySchema> {
  return { id, change: kind, orgSlug: org, repoRole: role, changedBy: by, at: at.toISOString() };
}
