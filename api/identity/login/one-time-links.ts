import { FairleadError } from '../../../domain/errors.ts';
import { LINK_MINUTES, type LinkPurpose, type OneTimeLink } from '../../../domain/identity/one-time-link.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { IdentityDeps } from '../deps.ts';

type Deps = Pick<IdentityDeps, 'links' | 'users' | 'tokens' | 'now'>;

export interface LinkRequest {
  readonly purpose: Exclude<LinkPurpose, 'first_admin'>;
  readonly user: Pick<UserRecord, 'id' | 'email' | 'passwordVersion'>;
  /** Client on whose behalf it is sent; null for the provider's own pages. */
  readonly client: { readonly clientId: string } | null;
  /** Local path or registered URL to go to afterwards. */
  readonly returnTo: string | null;
  /**
   * True for a link whose token a page of the client's own gets to see. It then works at that client's headless API and
   * nowhere else: on the provider's pages it would begin a session there, in the hands of the client.
   */
  readonly onClientPage?: boolean;
  /** True for a link that the client gets itself, to pass it on. */
  readonly handed?: boolean;
}

export interface LinkOfUser {
  readonly link: OneTimeLink;
  readonly user: UserRecord;
}

/** Makes a link that works once; the token is shown here and never again. Earlier ones of its kind stop working. */
export async function createLink(deps: Deps, request: LinkRequest): Promise<{ token: string; expiresAt: Date }> {
  const { purpose, user, client, returnTo, onClientPage = false, handed = false } = request;
  const clientId = client?.clientId ?? null;
  const { id: userId, email, passwordVersion } = user;
  const link = { purpose, userId, email, passwordVersion, clientId, handed, returnTo };
  return insertLink(deps, link, onClientPage ? clientId : null);
}

/** The link by which the first super admin makes themself; see api/identity/bootstrap.ts. */
export async function createFirstAdminLink(deps: Deps): Promise<{ token: string; expiresAt: Date }> {
  const link = { userId: null, email: '', passwordVersion: 0, clientId: null, handed: false, returnTo: null };
  return insertLink(deps, { ...link, purpose: 'first_admin' }, null);
}

/**
 * Looks without taking: for pages that show a button first (a mail scanner opens links, too), and for checks that must
 * come before.
 * @param page client on whose own page the token was seen; null for the provider's pages
 * @throws LINK_INVALID for an unknown, used or expired link, or one whose user is gone or suspended.
 */
export async function readLink(
  deps: Deps,
  token: string,
  purpose: LinkRequest['purpose'],
  page: string | null = null,
): Promise<LinkOfUser> {
  const link = await deps.links.find(hashOf(deps, token, page), purpose);
  if (link === null || link.consumedAt !== null || link.expiresAt <= deps.now()) throw linkInvalid();
  return withUser(deps, link);
}

/** The same, with null for a link that does not work. */
export async function findLink(...asked: Parameters<typeof readLink>): Promise<LinkOfUser | null> {
  try {
    return await readLink(...asked);
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'LINK_INVALID') return null;
    throw error;
  }
}

/** Takes a link: of many at once exactly one gets it. @throws LINK_INVALID like {@link readLink}. */
export async function takeLink(
  deps: Deps,
  token: string,
  purpose: LinkRequest['purpose'],
  page: string | null = null,
): Promise<LinkOfUser> {
  const link = await deps.links.consume(hashOf(deps, token, page), purpose, deps.now());
  if (link === null) throw linkInvalid();
  return withUser(deps, link);
}

export function linkInvalid(): FairleadError {
  return new FairleadError(
    'LINK_INVALID',
    'This link was already used, has expired, or never existed; request a new one',
  );
}

async function insertLink(
  deps: Deps,
  link: Omit<OneTimeLink, 'tokenHash' | 'createdAt' | 'expiresAt' | 'consumedAt'>,
  page: string | null,
): Promise<{ token: string; expiresAt: Date }> {
  const token = deps.tokens.create('flot_');
  const createdAt = deps.now();
  const expiresAt = new Date(createdAt.getTime() + LINK_MINUTES[link.purpose] * 60_000);
  const tokenHash = hashOf(deps, token, page);
  await deps.links.insert({ ...link, tokenHash, createdAt, expiresAt, consumedAt: null });
  return { token, expiresAt };
}

/** The page is part of what is hashed, so that a token leads nowhere but where it was made for. */
function hashOf({ tokens }: Deps, token: string, page: string | null): string {
  return tokens.hash(page === null ? token : `${page} ${token}`);
}

/**
 * A link is for the address it was sent to, and for the password of its time: once either was changed it does not open
 * the account, also when it was taken at the very moment of the change.
 */
async function withUser(deps: Deps, link: OneTimeLink): Promise<LinkOfUser> {
  const user = link.userId === null ? null : await deps.users.find(link.userId);
  if (user === null || user.suspendedAt !== null || user.email !== link.email) throw linkInvalid();
  if (user.passwordVersion !== link.passwordVersion) throw linkInvalid();
  return { link, user };
}
