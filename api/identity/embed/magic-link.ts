import type { z } from 'zod';
import type { magicLinkBodySchema, sentSchema } from '../../../domain/identity/embed-schema.ts';
import type { IdentityDeps } from '../deps.ts';
import { mailLink, readPage } from './client-links.ts';
import type { EmbedCaller } from './embed-client.ts';

/** Mails a link to sign in with; the answer tells nobody whether there is such an account. @throws VALIDATION_FAILED */
export function embedMagicLink(
  deps: IdentityDeps,
  { client }: EmbedCaller,
  body: z.output<typeof magicLinkBodySchema>,
): z.input<typeof sentSchema> {
  mailLink(deps, client, 'magic_link', body.email, readPage(client, 'verifyBaseUrl', body.verifyBaseUrl));
  return { sent: true };
}
