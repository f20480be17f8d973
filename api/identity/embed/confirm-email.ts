import type { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import { isServiceToken } from '../../../domain/identity/claims.ts';
import type {
  confirmEmailBodySchema,
  sendConfirmationBodySchema,
  sentSchema,
} from '../../../domain/identity/embed-schema.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import type { RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { confirmAddress } from '../login/confirm-address.ts';
import { findOwnToken } from '../oauth/own-token.ts';
import { mailLink, readClientLink, readPage } from './client-links.ts';
import type { EmbedCaller } from './embed-client.ts';

/**
 * Mails a link to confirm an address with; the answer tells nobody whether there is such an account, nor whether it needs
 * one. @throws VALIDATION_FAILED
 */
export function embedSendConfirmation(
  deps: IdentityDeps,
  { client }: EmbedCaller,
  body: z.output<typeof sendConfirmationBodySchema>,
): z.input<typeof sentSchema> {
  mailLink(deps, client, 'email_verification', body.email, readPage(client, 'confirmBaseUrl', body.confirmBaseUrl));
  return { sent: true };
}

/**
 * Confirms the address of somebody who is signed in at the client, by the token of a link that was mailed there on the
 * client's behalf. Their access token shows that they are the one who signed in. @throws LINK_INVALID, UNAUTHORIZED
 */
export async function embedConfirmEmail(
  deps: IdentityDeps,
  context: RouteContext,
  { client }: EmbedCaller,
  body: z.output<typeof confirmEmailBodySchema>,
): Promise<{ confirmed: true }> {
  const userId = await signedInAt(deps, client, body.access_token);
  const link = await readClientLink(deps, client, body.token, 'email_verification');
  await confirmAddress(deps, context, userId, link);
  return { confirmed: true };
}

/** Whose access token it is, when the client itself got it for them. @throws UNAUTHORIZED */
async function signedInAt(deps: IdentityDeps, { clientId }: ClientRecord, accessToken: string): Promise<string> {
  const claims = await findOwnToken(deps, accessToken);
  if (claims !== null && !isServiceToken(claims) && claims.client_id === clientId) return claims.sub;
  throw new FairleadError('UNAUTHORIZED', 'access_token: one of a person who is signed in at this client, and live');
}
