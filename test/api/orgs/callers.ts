import type { OrgRole, PlatformRole } from '../../../domain/roles.ts';
import type { Answer, TestIdp } from '../../support/start-idp.ts';
import { createLogins } from '../identity/oauth/logins.ts';

export type Headers = Readonly<Record<string, string>>;

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly headers: Headers;
  call(method: string, path: string, json?: unknown): Promise<Answer>;
}

/** People and services with real tokens for the platform's API. */
export function createCallers(idp: TestIdp) {
  const logins = createLogins(idp);
  let count = 0;

  const caller = (headers: Headers) => (method: string, path: string, json?: unknown) =>
    idp.call(method, path, { headers, ...(json === undefined ? {} : { json }) });

  async function person(
    given: { org?: string; roles?: readonly OrgRole[]; platformRoles?: readonly PlatformRole[]; email?: string } = {},
  ): Promise<Person> {
    count += 1;
    const { org, roles, platformRoles, email = `person${count}@example.com` } = given;
    const user = await idp.seedUser(email, {
      ...(org === undefined ? {} : { org }),
      ...(roles === undefined ? {} : { orgRoles: roles }),
      ...(platformRoles === undefined ? {} : { platformRoles }),
    });
    return { id: user.id, email, ...(await signIn(user.id)) };
  }

  /** A token of someone who exists, as they are now. */
  async function signIn(userId: string): Promise<Pick<Person, 'headers' | 'call'>> {
    const user = await idp.deps.users.find(userId);
    const client = await idp.deps.clients.find('fairlead-cli');
    if (user === null || client === null) throw new Error('nobody to sign in');
    const { tokens } = await logins.login({ client, secret: '' }, user, { audience: ['builder'] });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    return { headers, call: caller(headers) };
  }

  /** A token of a service's own. */
  async function service(clientId: string, secret: string): Promise<Headers> {
    const { body } = await idp.call('POST', '/api/oauth/token', {
      json: { grant_type: 'client_credentials', client_id: clientId, client_secret: secret, audience: 'builder' },
    });
    return { authorization: `Bearer ${body.access_token}` };
  }

  return { person, signIn, service, platform: caller(idp.internal) };
}

export type Callers = ReturnType<typeof createCallers>;

/** Status and error code of an answer, as tests compare them. */
export const outcome = ({ status, body }: Answer): string => `${status} ${body?.error?.code ?? 'ok'}`;
