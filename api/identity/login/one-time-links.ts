import { FairleadError } from '../../../domain/errors.ts';
import { LINK_MINUTES, type LinkPurpose, type OneTimeLink } from '../../../domain/identity/one-time-link.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { IdentityDeps } from '../deps.ts';

type Deps = Pick<IdentityDeps, 'links' | 'users' | 'tokens' | 'now'>;

export interface LinkRequest {
  readonly purpose: Exclude<LinkPurpose, 'first_admin'>;
  readonly user: Pick<UserRecord, 'id' | 'email'>;
  /** Client on whose behalf it is sent; null for the provider's own pages. */
  readonly client: { readonly clientId: string } | null;
  /** Local path or registered URL to go to afterwards. */
  readonly returnTo: string | null;
}

export interface LinkOfUser {
  readonly link: OneTimeLink;
  readonly user: UserRecord;
}

/** Makes a link that works once; the token is shown here and never again. Earlier ones of its kind stop working. */
export async function createLink(deps: Deps, request: LinkRequest): Promise<{ token: string; expiresAt: Date }> {
  const { purpose, user, client, returnTo } = request;
  return insertLink(deps, {
    purpose,
    userId: user.id,
    email: user.email,
    clientId: client?.clientId ?? null,
    returnTo,
  });
}

/** The link by which the first super admin makes themself; see api/identity/bootstrap.ts. */
export async function createFirstAdminLink(deps: Deps): Promise<{ token: string; expiresAt: Date }> {
  return insertLink(deps, { purpose: 'first_admin', userId: null, email: '', clientId: null, returnTo: null });
}

/**
 * Looks without taking: for pages that show a button first (a mail scanner opens links, too), and for checks that must
 * come before. @throws LINK_INVALID for an unknown, used or expired link, or one whose user is gone or suspended.
 */
export async function readLink(deps: Deps, token: string, purpose: LinkRequest['purpose']): Promise<LinkOfUser> {
  const link = await deps.links.find(deps.tokens.hash(token), purpose);
  if (link === null || link.consumedAt !== null || link.expiresAt <= deps.now()) throw linkInvalid();
  return withUser(deps, link);
}

/** Takes a link: of many at once exactly one gets it. @throws LINK_INVALID like {@link readLink}. */
export async function takeLink(deps: Deps, token: string, purpose: LinkRequest['purpose']): Promise<LinkOfUser> {
  const link = await deps.links.consume(deps.tokens.hash(token), purpose, deps.now());
  if (link === null) throw linkInvalid();
  return withUser(deps, link);
}

export function linkInvalid(): FairleadError {
  return new FairleadError('LINK_INVALID', 'This link was used before, has expired, or never was; ask for a new one');
}

async function insertLink(
  deps: Deps,
  link: Pick<OneTimeLink, 'purpose' | 'userId' | 'email' | 'clientId' | 'returnTo'>,
): Promise<{ token: string; expiresAt: Date }> {
  const token = deps.tokens.create('flot_');
  const createdAt = deps.now();
  const expiresAt = new Date(createdAt.getTime() + LINK_MINUTES[link.purpose] * 60_000);
  const tokenHash = deps.tokens.hash(token);
  await deps.links.insert({ ...link, tokenHash, createdAt, expiresAt, consumedAt: null });
  return { token, expiresAt };
}

/** A link is for the address it was sent to: one that was changed since does not open the account. */
async function withUser(deps: Deps, link: OneTimeLink): Promise<LinkOfUser> {
  const user = link.userId === null ? null : await deps.users.find(link.userId);
  if (user === null || user.suspendedAt !== null || user.email !== link.email) throw linkInvalid();
  return { link, user };
}
