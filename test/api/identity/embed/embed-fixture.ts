import type { ClientRecord } from '../../../../domain/oauth-clients/client.ts';
import { NO_PASSPORT } from '../../../../domain/passport-config.ts';
import type { Answer, TestIdp } from '../../../support/start-idp.ts';

export const PASSWORD = 'a sentence nobody guesses';
export const ORIGIN = 'https://shop.example';

export interface Headless {
  readonly clientId: string;
  readonly orgSlug: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Calls an operation as the client's server, or with other headers. */
  call(name: string, json: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

/** An org with a headless client of its own that it trusts with its people; `fields` take from that. */
export async function seedHeadless(
  idp: TestIdp,
  slug: string,
  fields: Partial<ClientRecord> = {},
  options: { readonly grant?: boolean } = {},
): Promise<Headless> {
  const clientId = `${slug}-prod`;
  await idp.seedOrg(slug, { modules: ['crm'] });
  const { secret } = await idp.seedClient(clientId, {
    orgSlug: slug,
    headlessEnabled: true,
    selfServiceEmail: true,
    trustedInviteSignup: true,
    redirectUris: [`${ORIGIN}/api/auth/callback`],
    customDomains: ['my.shop.example'],
    passportConfig: { ...NO_PASSPORT, allowedEmbedOrigins: [ORIGIN] },
    ...fields,
  });
  if (options.grant !== false) {
    const approvedAt = idp.deps.now();
    await idp.deps.orgGrants.approve({ clientId, orgSlug: slug, grant: 'org:manage', approvedBy: 'usr_x', approvedAt });
  }
  const headers = { 'x-client-id': clientId, 'x-client-secret': secret };
  return {
    clientId,
    orgSlug: slug,
    secret,
    headers,
    call: (name, json, given = headers) => idp.call('POST', `/api/embed/${name}`, { json, headers: given }),
  };
}

/** Body of a sign-up that goes through. */
export function signupBody(orgSlug: string, email: string): Record<string, unknown> {
  return { email, password: PASSWORD, firstName: 'Grace', lastName: 'Hopper', orgSlug, emailVerified: true };
}

/** Runs it 50 times at once and counts the answers by status and error code. */
export async function fiftyAtOnce(call: (index: number) => Promise<Answer>): Promise<Record<string, number>> {
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => call(index)));
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const key = `${status} ${body?.error?.code ?? 'ok'}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
