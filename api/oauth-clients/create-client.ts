import { NO_WHITE_LABEL } from '../../domain/branding/white-label.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { ClientRecord } from '../../domain/oauth-clients/client.ts';
import { clientExists } from '../../domain/oauth-clients/client-errors.ts';
import { type ClientWithSecret, clientView, type NewClient } from '../../domain/oauth-clients/client-schema.ts';
import { NEW_CLIENT, refusedInCreation } from '../../domain/oauth-clients/creation.ts';
import { refuseReservedId } from '../../domain/oauth-clients/platform-client.ts';
import { checkRedirectUris } from '../../domain/oauth-clients/redirect-uri.ts';
import { NO_PASSPORT } from '../../domain/passport-config.ts';
import type { AdministratorCaller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { refuseForeignAddresses } from '../identity/mail/registered-hosts.ts';
import { refuseFields } from './administrator.ts';
import { refuseSecretGrants } from './change-client.ts';
import { actorOf, addedByOf, auditClient } from './client-audit.ts';
import { newClientSecret } from './client-secrets.ts';

/** What ends a made-up id, so that two clients of one name get along. */
const SUFFIX_ALPHABET = 'abcdefghjkmnpqrstvwxyz23456789';
const SUFFIX_LENGTH = 6;

/**
 * Makes a client, with its first secret unless it is public. Told before it is made: a secret that is shown to nobody
 * because its event could not be kept would be lost, and the client with it.
 * @throws CLIENT_EXISTS, ORG_NOT_FOUND, INVALID_REDIRECT_URI, VALIDATION_FAILED, FORBIDDEN
 */
export async function createClient(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  wanted: NewClient & { readonly orgSlug: string },
): Promise<ClientWithSecret> {
  refuseFields(refusedInCreation(wanted, 'super_admin', wanted.orgSlug));
  if (wanted.clientId !== undefined) refuseReservedId(wanted.clientId);
  if ((await deps.orgs.find(wanted.orgSlug)) === null) {
    throw new FairleadError('ORG_NOT_FOUND', `No org has the slug ${wanted.orgSlug}`);
  }
  const secret = wanted.clientType === 'public' ? null : newClientSecret(deps, { addedBy: addedByOf(context) });
  const client = composeClient(deps, wanted, actorOf(context));
  refuseSecretGrants(client);
  await refuseForeignAddresses(deps, client.orgSlug, client.mailTemplates, [client]);
  if ((await deps.clients.find(client.clientId)) !== null) throw clientExists(client.clientId);
  const { clientType, redirectUris, allowedScopes, allowedGrantTypes } = client;
  const data = { clientType, redirectUris, allowedScopes, allowedGrantTypes };
  await auditClient(deps, context, { type: 'oauth.client_created', client, data });
  await deps.clients.insert({ ...client, secrets: secret === null ? [] : [secret.record] });
  return {
    ...clientView({ ...client, secrets: secret === null ? [] : [secret.record] }),
    clientSecret: secret?.text ?? null,
    secretId: secret?.record.id ?? null,
  };
}

function composeClient(
  deps: IdentityDeps,
  wanted: NewClient & { readonly orgSlug: string },
  createdBy: string,
): ClientRecord {
  const now = deps.now();
  return {
    ...NEW_CLIENT,
    ...wanted,
    clientId: wanted.clientId ?? madeUpId(deps, wanted.name),
    redirectUris: checkRedirectUris(wanted.redirectUris ?? [], { service: null }),
    postLogoutRedirectUris: checkRedirectUris(wanted.postLogoutRedirectUris ?? [], { service: null }),
    passportConfig: { ...NO_PASSPORT, ...wanted.passportConfig },
    whiteLabel: { ...NO_WHITE_LABEL, ...wanted.whiteLabel },
    secrets: [],
    createdBy,
    createdAt: now,
    updatedAt: now,
  };
}

function madeUpId(deps: Pick<IdentityDeps, 'tokens'>, name: string): string {
  const words = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
  return `${words === '' ? 'client' : words}-${deps.tokens.letters(SUFFIX_ALPHABET, SUFFIX_LENGTH)}`;
}
