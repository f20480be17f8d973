import { normalizeEmail } from '../../../../domain/identity/email-address.ts';
import type { ClientRecord } from '../../../../domain/oauth-clients/client.ts';
import type { IdentityDeps } from '../../deps.ts';
import { createLink } from '../../login/one-time-links.ts';
import { queueMail } from '../../mail/send-mail.ts';

const PATHS = { magic_link: '/login/magic', password_reset: '/login/reset' } as const;

/**
 * Sends a link that works once to whoever has this address, after the reply: whether anybody has it shows neither in
 * the answer nor in its time.
 */
export function requestLink(
  deps: IdentityDeps,
  request: {
    readonly purpose: keyof typeof PATHS;
    readonly email: string;
    readonly client: ClientRecord | null;
    readonly returnTo: string;
  },
): void {
  const { purpose, client, returnTo } = request;
  const email = normalizeEmail(request.email);
  if (email === null) return;
  queueMail(deps, { kind: purpose, to: email }, async () => {
    const user = await deps.users.findByEmail(email);
    if (user === null || user.suspendedAt !== null) return null;
    const { token, expiresAt } = await createLink(deps, { purpose, user, client, returnTo });
    const link = `${deps.settings.issuer}${PATHS[purpose]}?token=${token}`;
    return { client, org: null, user, data: { name: user.firstName, link, expiresAt }, subject: user.id };
  });
}
