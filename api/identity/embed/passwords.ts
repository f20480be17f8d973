import type { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type {
  forgotPasswordBodySchema,
  magicLinkBodySchema,
  resetPasswordBodySchema,
  resetTokenSchema,
  sentSchema,
  setInitialPasswordBodySchema,
} from '../../../domain/identity/embed-schema.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import { clientPage, withToken } from '../../../domain/oauth-clients/client-page.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { createLink, linkInvalid, readLink, takeLink } from '../login/one-time-links.ts';
import { hashNewPassword, storePassword } from '../login/set-password.ts';
import { queueMail } from '../mail/send-mail.ts';
import type { EmbedCaller } from './embed-client.ts';
import { managesPerson, requireTrusted } from './trusted-client.ts';

type Sent = z.input<typeof sentSchema>;

const PAGES = { magic_link: '/login/magic', password_reset: '/login/reset' } as const;

type Purpose = keyof typeof PAGES;

/** Mails a link to sign in with; the answer tells nobody whether there is such an account. @throws VALIDATION_FAILED */
export function embedMagicLink(
  deps: IdentityDeps,
  { client }: EmbedCaller,
  body: z.output<typeof magicLinkBodySchema>,
): Sent {
  mailLink(deps, client, 'magic_link', body.email, readPage(client, 'verifyBaseUrl', body.verifyBaseUrl));
  return { sent: true };
}

/**
 * Mails a link to choose a new password with, or hands its token to the client's server (spec 1, D 2). The second way
 * tells whether there is such an account; it is for clients with `selfServiceEmail`, and for people they manage.
 * @throws SELF_SEND_REQUIRES_SECRET, USER_NOT_FOUND, VALIDATION_FAILED
 */
export async function embedForgotPassword(
  deps: IdentityDeps,
  context: RouteContext,
  caller: EmbedCaller,
  body: z.output<typeof forgotPasswordBodySchema>,
): Promise<Sent | z.input<typeof resetTokenSchema>> {
  const { client } = caller;
  const page = readPage(client, 'resetBaseUrl', body.resetBaseUrl);
  if (body.sendEmail) {
    mailLink(deps, client, 'password_reset', body.email, page);
    return { sent: true };
  }
  if (!caller.server || !client.selfServiceEmail) {
    const message = 'sendEmail false needs selfServiceEmail on the client, and its secret from a server';
    throw new FairleadError('SELF_SEND_REQUIRES_SECRET', message);
  }
  const user = await deps.users.findByEmail(body.email);
  if (user === null || user.suspendedAt !== null || !(await managesPerson(deps, client, user))) {
    throw new FairleadError('USER_NOT_FOUND', 'There is no account of this address that the client manages');
  }
  const { token, expiresAt } = await createLink(deps, { purpose: 'password_reset', user, client, returnTo: null });
  await audit(deps, context, {
    type: 'user.reset_token_handed',
    actor: client.clientId,
    subject: user.id,
    orgSlug: user.primaryOrg,
  });
  const resetUrl = linkUrl(deps, 'password_reset', page, token);
  return { sent: false, resetToken: token, resetUrl, expiresAt: expiresAt.toISOString() };
}

/** Sets a new password by a link that was made for the same client. @throws LINK_INVALID, PASSWORD_REFUSED */
export async function embedResetPassword(
  deps: IdentityDeps,
  context: RouteContext,
  { client }: EmbedCaller,
  body: z.output<typeof resetPasswordBodySchema>,
): Promise<{ reset: true }> {
  const found = await readLink(deps, body.token, 'password_reset');
  if (found.link.clientId !== client.clientId) throw linkInvalid();
  // Judged and hashed first: a password that is refused does not use the link up.
  const passwordHash = await hashNewPassword(deps, body.password, found.user.email);
  const { user } = await takeLink(deps, body.token, 'password_reset');
  await storePassword(deps, context, user, passwordHash);
  return { reset: true };
}

/** Longest id of a user there is no room for: matches nobody. */
const NOBODY = 'usr_nobody';

/**
 * Sets the first password of an account that a provisioning call made (spec 1, "Provisioned account and initial
 * password"): once. Every account that is not eligible, or not there, gets the same answer in the same time: the hash
 * and the conditional write happen for all. @throws NOT_ELIGIBLE, TRUSTED_SIGNUP_REFUSED, PASSWORD_REFUSED
 */
export async function embedSetInitialPassword(
  deps: IdentityDeps,
  context: RouteContext,
  caller: EmbedCaller,
  body: z.output<typeof setInitialPasswordBodySchema>,
): Promise<{ passwordSet: true }> {
  const org = await requireTrusted(deps, caller, body.orgSlug);
  const passwordHash = await hashNewPassword(deps, body.password, body.email);
  const user = await deps.users.findByEmail(body.email);
  const id = user === null || user.suspendedAt !== null ? NOBODY : user.id;
  if (!(await deps.users.consumeOnboarding(id, org.slug, passwordHash))) {
    throw new FairleadError('NOT_ELIGIBLE', 'This account cannot be given a first password; sign in, or reset it');
  }
  await deps.links.consumeAllOfUser(id, deps.now());
  await audit(deps, context, {
    type: 'user.initial_password_set',
    actor: caller.client.clientId,
    subject: id,
    orgSlug: org.slug,
  });
  return { passwordSet: true };
}

/** Finds the account, makes the link and sends it, all after the reply. */
function mailLink(deps: IdentityDeps, client: ClientRecord, purpose: Purpose, email: string, page: URL | null): void {
  queueMail(deps, { kind: purpose, to: email }, async () => {
    const user = await deps.users.findByEmail(email);
    if (user === null || user.suspendedAt !== null) return null;
    const { token, expiresAt } = await createLink(deps, { purpose, user, client, returnTo: null });
    const link = linkUrl(deps, purpose, await pageFor(deps, client, purpose, user, page), token);
    return { client, org: null, subject: user.id, data: { name: user.firstName, link, expiresAt } };
  });
}

/**
 * A page of the client's gets the token of whoever clicks. A sign-in is for the client alone, so it may; a new password
 * opens everything, so people whom the client does not manage choose it on the provider's own page.
 */
async function pageFor(
  deps: IdentityDeps,
  client: ClientRecord,
  purpose: Purpose,
  user: UserRecord,
  page: URL | null,
): Promise<URL | null> {
  if (page === null || purpose === 'magic_link') return page;
  return (await managesPerson(deps, client, user)) ? page : null;
}

function linkUrl({ settings }: IdentityDeps, purpose: Purpose, page: URL | null, token: string): string {
  return withToken(page ?? new URL(settings.issuer + PAGES[purpose]), token);
}

/** @throws VALIDATION_FAILED for a page that is not the client's */
function readPage(client: ClientRecord, field: string, text: string | undefined): URL | null {
  if (text === undefined) return null;
  const page = clientPage(client, text);
  if (page !== null) return page;
  const message = 'a URL on the origin of a registered redirect URI, or on a custom domain of the client';
  throw new FairleadError('VALIDATION_FAILED', `${field}: ${message}`, { details: [{ field, message }] });
}
