import type { UserRecord } from '../../../domain/identity/user.ts';
import type { OrgRecord } from '../../../domain/orgs/org.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { queueMail } from '../mail/send-mail.ts';
import { createLink, linkInvalid } from './one-time-links.ts';

/** The provider's page behind a link that confirms an address. */
export const CONFIRM_PATH = '/account/confirm';

/**
 * Mails a link by which somebody confirms that they read the mail of their address. Asking again sends another one, a few
 * times in a quarter of an hour, and only the newest works; whose address is confirmed already is sent nothing.
 */
export function mailConfirmation(
  deps: IdentityDeps,
  { id, email }: Pick<UserRecord, 'id' | 'email'>,
  org: OrgRecord | null,
): void {
  queueMail(deps, { kind: 'email_verification', to: email }, async () => {
    const user = await deps.users.find(id);
    if (user === null || !awaitsConfirmation(user)) return null;
    const order = { purpose: 'email_verification', user, client: null, returnTo: null } as const;
    const { token, expiresAt } = await createLink(deps, order);
    const link = `${deps.settings.issuer}${CONFIRM_PATH}?token=${token}`;
    return { client: null, org, user, subject: user.id, data: { name: user.firstName, link, expiresAt } };
  });
}

/** True for somebody whom such a link would help. */
export function awaitsConfirmation(user: Pick<UserRecord, 'emailVerified' | 'suspendedAt'>): boolean {
  return !user.emailVerified && user.suspendedAt === null;
}

/** A link that was read, and how to take it once. */
export interface ReadableLink {
  readonly user: UserRecord;
  readonly take: () => Promise<UserRecord>;
}

/**
 * Confirms the address of somebody who is signed in, by a link that was mailed there. Both are needed: whoever reads the
 * mailbox alone may not be who made the account, and then they must not be the ones who make its password good ("account
 * pre-hijacking"); see prove-address.ts for their way in. The link of another person is not used up by trying.
 * @throws LINK_INVALID
 */
export async function confirmAddress(
  deps: IdentityDeps,
  context: RouteContext,
  userId: string,
  link: ReadableLink,
): Promise<UserRecord> {
  if (link.user.id !== userId) throw linkInvalid();
  const user = await link.take();
  await audit(deps, context, {
    type: 'user.address_confirmed',
    actor: user.id,
    subject: user.id,
    orgSlug: user.primaryOrg,
  });
  return (await deps.users.update(user.id, { emailVerified: true })) ?? user;
}
