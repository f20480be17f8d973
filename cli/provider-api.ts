import { type ApiClient, createApiClient } from './api-client.ts';
import { CliFailure } from './cli-failure.ts';
import type { Connection } from './connection.ts';
import type { Authorize } from './login/authorization.ts';
import { findIssuer } from './login/issuer.ts';

/**
 * The identity provider of a builder API, where orgs and people are. A login goes to the provider that made it. A key
 * goes to the provider that its API names, and in the clear only if it went to that API in the clear already.
 * @throws CliFailure PROVIDER_UNSAFE; NO_IDENTITY_PROVIDER; `unreachable`
 */
export async function connectToProvider(connection: Connection, authorize: Authorize): Promise<ApiClient> {
  const { api, credential } = connection;
  const issuer = credential?.kind === 'login' ? credential.login.issuer : await findIssuer(api);
  if (credential?.kind === 'key' && api.startsWith('https:') && !issuer.startsWith('https:')) {
    throw new CliFailure('PROVIDER_UNSAFE', `${api} names an identity provider without encryption: ${issuer}.`, {
      exit: 'auth',
      remedy: 'The key is not sent there. Set IDP_URL to an https address where that API runs.',
    });
  }
  const base = issuer.replace(/\/+$/, '');
  return createApiClient({ api: base, credential }, authorize, { name: 'identity provider', variable: 'FAIRLEAD_URL' });
}
