import { FairleadError } from '../../../domain/errors.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import { clientPage, withToken } from '../../../domain/oauth-clients/client-page.ts';
import type { IdentityDeps } from '../deps.ts';
import { awaitsConfirmation, CONFIRM_PATH } from '../login/confirm-address.ts';
import { createLink, findLink, linkInvalid, readLink, takeLink } from '../login/one-time-links.ts';
import { takeOrgMail } from '../mail/org-quota.ts';
import { noteUnsentMail, queueMail } from '../mail/send-mail.ts';
import { managesPerson } from './trusted-client.ts';

/** The provider's own pages, for clients that name none of theirs. */
const PAGES = {
  magic_link: '/login/magic',
  password_reset: '/login/reset',
  email_verification: CONFIRM_PATH,
} as const;

type Purpose = keyof typeof PAGES;

/** Finds the account, makes the link and sends it, all after the reply. */
export function mailLink(
  deps: IdentityDeps,
  client: ClientRecord,
  purpose: Purpose,
  email: string,
  page: URL | null,
): void {
  queueMail(deps, { kind: purpose, to: email }, async () => {
    const user = await deps.users.findByEmail(email);
    if (user === null || user.suspendedAt !== null) return null;
    if (purpose === 'email_verification' && !awaitsConfirmation(user)) return null;
    if (!(await takeOrgMail(deps, client.orgSlug))) {
      await noteUnsentMail(deps, purpose, { subject: user.id, orgSlug: client.orgSlug, reason: 'quota_of_org' });
      return null;
    }
    const shown = await pageFor(deps, client, purpose, user, page);
    const { url: link, expiresAt } = await makeLink(deps, { client, purpose, user, page: shown, handed: false });
    return { client, org: null, user, subject: user.id, data: { name: user.firstName, link, expiresAt } };
  });
}

/**
 * A page of the client's gets the token of whoever clicks. A sign-in is for the client alone, and a confirmation opens
 * nothing, so it may; a new password opens everything, so people whom the client does not manage choose it on the
 * provider's own page.
 */
async function pageFor(
  deps: IdentityDeps,
  client: ClientRecord,
  purpose: Purpose,
  user: UserRecord,
  page: URL | null,
): Promise<URL | null> {
  if (page === null || purpose !== 'password_reset') return page;
  return (await managesPerson(deps, client, user)) ? page : null;
}

/** A link to the client's page, or to the provider's own. */
export async function makeLink(
  deps: IdentityDeps,
  order: {
    readonly client: ClientRecord;
    readonly purpose: Purpose;
    readonly user: UserRecord;
    readonly page: URL | null;
    /** True when the client gets it and nobody is mailed. */
    readonly handed: boolean;
  },
): Promise<{ token: string; url: string; expiresAt: Date }> {
  const { page, purpose } = order;
  const { token, expiresAt } = await createLink(deps, { ...order, returnTo: null, onClientPage: page !== null });
  return { token, expiresAt, url: withToken(page ?? new URL(deps.settings.issuer + PAGES[purpose]), token) };
}

/**
 * A link that was made for the client, and how to take it: one to its own page, or one to the provider's that its
 * person brought here instead. @throws LINK_INVALID for any other
 */
export async function readClientLink(
  deps: IdentityDeps,
  { clientId }: ClientRecord,
  token: string,
  purpose: Purpose,
): Promise<{ user: UserRecord; take: () => Promise<UserRecord> }> {
  const onItsPage = await findLink(deps, token, purpose, clientId);
  const page = onItsPage === null ? null : clientId;
  const { link, user } = onItsPage ?? (await readLink(deps, token, purpose));
  if (link.clientId !== clientId) throw linkInvalid();
  return { user, take: async () => (await takeLink(deps, token, purpose, page)).user };
}

/** @throws VALIDATION_FAILED for a page that is not the client's */
export function readPage(client: ClientRecord, field: string, text: string | undefined): URL | null {
  if (text === undefined) return null;
  const page = clientPage(client, text);
  if (page !== null) return page;
  const message = 'a URL on the origin of a registered redirect URI, or on a custom domain of the client';
  throw new FairleadError('VALIDATION_FAILED', `${field}: ${message}`, { details: [{ field, message }] });
}
