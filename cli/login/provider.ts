import * as oidc from 'openid-client';
import { z } from 'zod';
import { CLI_CLIENT } from '../../domain/services.ts';
import { CliFailure } from '../cli-failure.ts';

/** What the command line asks for: who someone is, and a login that outlives their browser's session. */
export const LOGIN_SCOPE = 'openid profile email offline_access';

const REQUEST_LIMIT_MS = 15_000;

const metadataSchema = z.looseObject({
  resource: z.url({ protocol: /^https?$/ }),
  authorization_servers: z.array(z.url({ protocol: /^https?$/ })),
});

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

/** Its issuer alone. @throws CliFailure like {@link findProvider} */
export async function findIssuer(api: string): Promise<string> {
  const { resource, authorization_servers: servers } = await readMetadata(api);
  if (new URL(resource).href !== new URL(api).href) {
    throw new CliFailure('RESOURCE_MISMATCH', `The API at ${api} calls itself ${resource}.`, {
      exit: 'auth',
      remedy: 'Name it by that address (`--api-url`), or set BUILDER_URL where it runs to the address people use.',
    });
  }
  const [issuer] = servers;
  if (issuer === undefined) throw noProvider(api);
  return issuer;
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
    throw new CliFailure('UNREACHABLE', `The identity provider at ${issuer} does not answer as one.`, {
      exit: 'unreachable',
      cause,
      remedy: 'Check that it runs and that this machine can reach that address.',
    });
  }
}

async function readMetadata(api: string): Promise<z.infer<typeof metadataSchema>> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(`${api}/.well-known/oauth-protected-resource`, {
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    body = await response.json();
  } catch (cause) {
    throw new CliFailure('UNREACHABLE', `The builder API at ${api} does not answer.`, {
      exit: 'unreachable',
      cause,
      remedy: 'Start the stack with `npm start`, or check FAIRLEAD_URL.',
    });
  }
  const metadata = metadataSchema.safeParse(body);
  if (!response.ok || !metadata.success) throw noProvider(api);
  return metadata.data;
}

function noProvider(api: string): CliFailure {
  return new CliFailure('NO_IDENTITY_PROVIDER', `${api} takes no logins: it names no identity provider.`, {
    exit: 'auth',
    remedy: 'Set IDP_URL where that API runs, or use its key: FAIRLEAD_KEY.',
  });
}
