import * as oidc from 'openid-client';
import { CLI_CLIENT } from '../../domain/services.ts';
import { CliFailure } from '../cli-failure.ts';
import { findIssuer, REQUEST_LIMIT_MS } from './issuer.ts';

/** What the command line asks for: who someone is, and a login that outlives their browser's session. */
export const LOGIN_SCOPE = 'openid profile email offline_access';

/**
 * The identity provider of an API, found by the API's metadata (RFC 9728) and the provider's own (OpenID Connect
 * Discovery), as a client that is public and proves itself by PKCE.
 *
 * @param api base URL
 * @throws CliFailure `unreachable` when either does not answer; NO_IDENTITY_PROVIDER when the API takes keys alone
 */
export async function findProvider(api: string): Promise<oidc.Configuration> {
  return connectProvider(await findIssuer(api));
}

/** A provider by its issuer. @throws CliFailure `unreachable` */
export async function connectProvider(issuer: string): Promise<oidc.Configuration> {
  const url = new URL(issuer);
  try {
    return await oidc.discovery(url, CLI_CLIENT, undefined, oidc.None(), {
      timeout: REQUEST_LIMIT_MS / 1000,
      // A stack on this machine, or one that its owner runs without TLS: the address was theirs to choose.
      execute: url.protocol === 'http:' ? [oidc.allowInsecureRequests] : [],
    });
  } catch (cause) {
    throw new CliFailure(
      'UNREACHABLE',
      `The identity provider at ${issuer} does not answer like an identity provider.`,
      {
        exit: 'unreachable',
        cause,
        remedy: 'Check that it runs and that this machine can reach that address.',
      },
    );
  }
}
