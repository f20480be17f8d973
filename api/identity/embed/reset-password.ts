import type { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type {
  forgotPasswordBodySchema,
  resetPasswordBodySchema,
  resetTokenSchema,
  sentSchema,
} from '../../../domain/identity/embed-schema.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { linkInvalid } from '../login/one-time-links.ts';
import { hashNewPassword, storePassword } from '../login/set-password.ts';
import { mailLink, makeLink, readClientLink, readPage } from './client-links.ts';
import type { EmbedCaller } from './embed-client.ts';
import { managesPerson } from './trusted-client.ts';

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
): Promise<z.input<typeof sentSchema> | z.input<typeof resetTokenSchema>> {
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
  await audit(deps, context, {
    type: 'user.reset_token_handed',
    actor: client.clientId,
    subject: user.id,
    orgSlug: user.primaryOrg,
  });
  const order = { client, purpose: 'password_reset', user, page, handed: true } as const;
  const { token: resetToken, url: resetUrl, expiresAt } = await makeLink(deps, order);
  return { sent: false, resetToken, resetUrl, expiresAt: expiresAt.toISOString() };
}

/** Sets a new password by a link that was made for the same client. @throws LINK_INVALID, PASSWORD_REFUSED */
export async function embedResetPassword(
  deps: IdentityDeps,
  context: RouteContext,
  { client }: EmbedCaller,
  body: z.output<typeof resetPasswordBodySchema>,
): Promise<{ reset: true }> {
  const link = await readClientLink(deps, client, body.token, 'password_reset');
  if (!(await managesPerson(deps, client, link.user))) throw linkInvalid();
  // Judged and hashed first: a password that is refused does not use the link up.
  const passwordHash = await hashNewPassword(deps, body.password, link.user.email);
  const user = await link.take();
  // They may have joined another org meanwhile; then it is the provider's page that sets the password, by a mailed link.
  if (!(await managesPerson(deps, client, user))) throw linkInvalid();
  await storePassword(deps, context, user, passwordHash);
  return { reset: true };
}
