import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import type { MemberDirectory } from '../../domain/git-identities/ports.ts';
import { ORG_ROLES, type OrgRole } from '../../domain/roles.ts';
import { createIdpCall, type IdpConnection } from './idp-call.ts';

const suspendable = z.looseObject({ suspendedAt: z.string().nullable() });
const memberSchema = suspendable.extend({ userId: z.string(), roles: z.array(z.string()) });
const pageSchema = z.looseObject({ items: z.array(memberSchema), nextCursor: z.string().nullable() });

const PAGE = 200;
const GONE: ReadonlySet<string> = new Set(['ORG_NOT_FOUND', 'USER_NOT_FOUND']);

/** Who may do what in orgs at this moment, by the identity provider's own routes: nothing of it is remembered. */
export function createMemberDirectory(connection: IdpConnection): MemberDirectory {
  const call = createIdpCall(connection);
  const orgPath = (org: string): string => `/api/v2/orgs/${encodeURIComponent(org)}`;
  const isActive = async (path: string): Promise<boolean> =>
    (await call(suspendable, { method: 'GET', path })).suspendedAt === null;
  return {
    async memberRole(org, userId) {
      const id = encodeURIComponent(userId);
      const member = await absent(() => call(memberSchema, { method: 'GET', path: `${orgPath(org)}/members/${id}` }));
      const role = member === null ? null : roleOf(member);
      if (role === null) return null;
      const active = await absent(
        async () => (await isActive(`/api/v2/users/${id}`)) && (await isActive(orgPath(org))),
      );
      return active === true ? role : null;
    },
    async listMembers(org) {
      const found: { userId: string; role: OrgRole }[] = [];
      if ((await absent(() => isActive(orgPath(org)))) !== true) return found;
      let cursor: string | null = null;
      do {
        const query = new URLSearchParams({ limit: String(PAGE), ...(cursor === null ? {} : { cursor }) });
        const path = `${orgPath(org)}/members?${query}`;
        const page: z.output<typeof pageSchema> | null = await absent(() => call(pageSchema, { method: 'GET', path }));
        for (const member of page?.items ?? []) {
          const role = roleOf(member);
          if (role !== null) found.push({ userId: member.userId, role });
        }
        cursor = page?.nextCursor ?? null;
      } while (cursor !== null);
      return found;
    },
  };
}

/** Null for what is not there; what the provider does not answer stays an error. */
async function absent<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof FairleadError && GONE.has(error.code)) return null;
    throw error;
  }
}

/** The strongest; roles that an org made up itself give nothing here. */
function roleOf({ roles, suspendedAt }: z.output<typeof memberSchema>): OrgRole | null {
  if (suspendedAt !== null) return null;
  return ORG_ROLES.findLast((role) => roles.includes(role)) ?? null;
}
