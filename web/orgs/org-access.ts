import type { z } from 'zod';
import { meSchema } from '../../domain/identity/schema.ts';
import { orgViewSchema } from '../../domain/orgs/schema.ts';
import { hasOrgRole, type OrgRole } from '../../domain/roles.ts';
import type { PageContext } from '../page.ts';
import { pathOf } from '../platform/platform.ts';

export type OrgView = z.output<typeof orgViewSchema>;

/** An org as the person before the console has it. */
export interface OpenedOrg {
  readonly org: OrgView;
  /** Their roles in it; none for a super admin who is no member. */
  readonly roles: readonly OrgRole[];
  /** Whether forms that change it are shown; the provider decides whether they do. */
  readonly administers: boolean;
}

/** Path of an org, or of something in it, at the identity provider. */
export function orgApi(slug: string, ...rest: readonly string[]): string {
  return pathOf('api', 'v2', 'orgs', slug, ...rest);
}

/** Path of an org's page, or of one below it. */
export function orgPage(slug: string, ...rest: readonly string[]): string {
  return pathOf('orgs', slug, ...rest);
}

/** @throws ORG_NOT_FOUND also for an org that the person is not in */
export async function openOrg(
  { platform, person }: Pick<PageContext, 'platform' | 'person'>,
  slug: string,
): Promise<OpenedOrg> {
  const [org, me] = await Promise.all([
    platform.get('idp', orgApi(slug), orgViewSchema),
    platform.get('idp', '/api/v2/me', meSchema),
  ]);
  const roles = me.orgs.find(({ orgSlug }) => orgSlug === org.slug)?.roles ?? [];
  return { org, roles, administers: person.kind === 'platform-admin' || hasOrgRole(roles, 'admin') };
}
