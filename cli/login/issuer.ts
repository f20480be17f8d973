import { z } from 'zod';
import { CliFailure } from '../cli-failure.ts';

export const REQUEST_LIMIT_MS = 15_000;

const metadataSchema = z.looseObject({
  resource: z.url({ protocol: /^https?$/ }),
  authorization_servers: z.array(z.url({ protocol: /^https?$/ })),
});

/**
 * The issuer that an API names in its metadata (RFC 9728).
 * @throws CliFailure `unreachable` when it does not answer; NO_IDENTITY_PROVIDER when it takes keys alone
 */
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
  return new CliFailure('NO_IDENTITY_PROVIDER', `${api} accepts no logins: it has no identity provider.`, {
    exit: 'auth',
    remedy: 'Set IDP_URL where that API runs, or use its key: FAIRLEAD_KEY.',
  });
}
