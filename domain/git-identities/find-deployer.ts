import { hasOrgRole } from '../roles.ts';
import type { GitIdentities, HostAccount, MemberDirectory } from './ports.ts';

/** Whose a deploy is. */
export interface Deployer {
  readonly userId: string;
  /** The org that they act in: the owner of the service, or one that shares it. */
  readonly org: string;
}

/**
 * The person behind an account, when they may deploy the service at this moment by their own role: at least member of its
 * owner, or of an org that it is shared with. Null for everybody else: what they push is deployed in the name of the
 * owner, or not at all, and never with the rights that somebody had once.
 * @throws UNAVAILABLE (retryable)
 */
export async function findDeployer(
  ports: { readonly identities: GitIdentities; readonly members: Pick<MemberDirectory, 'memberRole'> },
  account: HostAccount,
  service: { readonly org: string; readonly authorizedOrgs: readonly string[] },
): Promise<Deployer | null> {
  const identity = await ports.identities.findPerson(account);
  if (identity === null) return null;
  for (const org of [service.org, ...service.authorizedOrgs]) {
    const role = await ports.members.memberRole(org, identity.userId);
    if (role !== null && hasOrgRole([role], 'member')) return { userId: identity.userId, org };
  }
  return null;
}
