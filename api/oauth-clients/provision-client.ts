import type { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { type ClientField, decideClientPatch } from '../../domain/oauth-clients/administration.ts';
import { type ClientRecord, MAX_LIVE_SECRETS } from '../../domain/oauth-clients/client.ts';
import type { ProvisionReply, provisionBodySchema } from '../../domain/oauth-clients/client-schema.ts';
import { NEW_CLIENT } from '../../domain/oauth-clients/creation.ts';
import { type DerivedLists, type MergedClient, mergeClient } from '../../domain/oauth-clients/merge-client.ts';
import { serviceClientId } from '../../domain/oauth-clients/ownership.ts';
import { refuseReservedId } from '../../domain/oauth-clients/platform-client.ts';
import { refuseGrantedByAdmin } from '../../domain/oauth-clients/platform-scopes.ts';
import type { ClientChanges } from '../../domain/oauth-clients/ports.ts';
import { checkRedirectUris } from '../../domain/oauth-clients/redirect-uri.ts';
import type { AdministratorCaller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { actorOf, auditClient } from './client-audit.ts';
import { newClientSecret } from './client-secrets.ts';
import { requireFound } from './require-client.ts';

export type Provision = z.output<typeof provisionBodySchema>;

const NOTHING_PRESERVED = { redirectUris: [], scopes: [], grantTypes: [] };

/**
 * Makes the client of a service and environment, or adds to it what a deploy derives (spec 1, B): redirect URIs, scopes
 * and grant types are only ever added, the passport fields are written from the catalog. Idempotent but for `newSecret`.
 *
 * @throws FORBIDDEN for a scope that a platform admin grants; CLIENT_NOT_FOUND without `create`; CLIENT_EXISTS when the id belongs to someone else; INVALID_REDIRECT_URI;
 *   CONFLICT (retryable) when another secret of the key in `secretFor` was made than the one that the caller saw
 */
export async function provisionClient(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  wanted: Provision,
): Promise<ProvisionReply> {
  const clientId = serviceClientId(wanted.service, wanted.environment);
  refuseReservedId(clientId);
  refuseGrantedByAdmin(wanted.scopes);
  const redirectUris = checkRedirectUris(wanted.redirectUris, { service: wanted.service });
  const derived: DerivedLists = { redirectUris, scopes: wanted.scopes, grantTypes: wanted.grantTypes };
  const existing = await deps.clients.find(clientId);
  const extended = existing === null ? null : await extendUnlessGone(deps, context, existing, wanted, derived);
  if (extended !== null) return extended;
  if (!wanted.create) requireFound(null, clientId);
  const made = await insertClient(deps, context, clientId, wanted, derived);
  if (made !== null) return made;
  // Another deploy made it in between: then it is there to be extended.
  const other = requireFound(await deps.clients.find(clientId), clientId);
  return await extendClient(deps, context, other, wanted, derived);
}

/** Null when there is a client of that id now. */
async function insertClient(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  clientId: string,
  wanted: Provision,
  derived: DerivedLists,
): Promise<ProvisionReply | null> {
  const { service, environment, orgSlug } = wanted;
  const secret = newClientSecret(deps, { issuedFor: wanted.secretFor?.key ?? null });
  const client: ClientRecord = {
    ...NEW_CLIENT,
    clientId,
    name: service,
    description: `The service ${service} in ${environment}`,
    orgSlug,
    redirectUris: derived.redirectUris,
    allowedScopes: [...new Set(derived.scopes)],
    allowedGrantTypes: [...new Set(derived.grantTypes)],
    passportConfig: wanted.passportConfig ?? NEW_CLIENT.passportConfig,
    service,
    environment,
    secrets: [secret.record],
    createdBy: actorOf(context),
    createdAt: deps.now(),
    updatedAt: deps.now(),
  };
  const { redirectUris, allowedScopes, allowedGrantTypes } = client;
  const data = { service, environment, redirectUris, allowedScopes, allowedGrantTypes };
  // Before it is made: the secret is shown in the answer alone, which must not fail after this.
  await auditClient(deps, context, { type: 'oauth.client_created', client, data });
  try {
    await deps.clients.insert(client);
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'CLIENT_EXISTS') return null;
    throw error;
  }
  return { clientId, created: true, clientSecret: secret.text, preserved: NOTHING_PRESERVED };
}

/** Null when the client was deleted in between, or a moment ago by another process. */
async function extendUnlessGone(...given: Parameters<typeof extendClient>): Promise<ProvisionReply | null> {
  try {
    return await extendClient(...given);
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'CLIENT_NOT_FOUND') return null;
    throw error;
  }
}

async function extendClient(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  existing: ClientRecord,
  wanted: Provision,
  derived: DerivedLists,
): Promise<ProvisionReply> {
  const { clientId } = existing;
  requireSameOwner(existing, wanted);
  const merged = mergeClient(existing, derived);
  const { changes, fields } = changesOf(existing, wanted);
  if (Object.keys(changes).length > 0 || Object.keys(merged.additions).length > 0) {
    const data = extensionData(merged, fields);
    await auditClient(deps, context, { type: 'oauth.client_extended', client: existing, data });
    requireFound(await deps.clients.update(clientId, changes, merged.additions), clientId);
  }
  const clientSecret = wanted.newSecret ? await giveSecret(deps, context, existing, wanted) : null;
  const { redirectUris, scopes, grantTypes } = merged.preserved;
  const preserved = { redirectUris: [...redirectUris], scopes: [...scopes], grantTypes: [...grantTypes] };
  return { clientId, created: false, clientSecret, preserved };
}

/** A client of someone else must not be taken over by whoever gets hold of a service's name. */
export function requireSameOwner(
  existing: ClientRecord,
  wanted: Pick<Provision, 'service' | 'environment' | 'orgSlug'>,
): void {
  const sameService =
    existing.service === null || (existing.service === wanted.service && existing.environment === wanted.environment);
  if (sameService && existing.orgSlug === wanted.orgSlug && existing.clientType === 'confidential') return;
  const message = `The client ${existing.clientId} exists and is not one of ${wanted.orgSlug} for ${wanted.service}; a platform admin can delete it`;
  throw new FairleadError('CLIENT_EXISTS', message);
}

/** The catalog is the source of the passport fields; a client of the org that was made by hand becomes the service's. */
function changesOf(existing: ClientRecord, wanted: Provision): { changes: ClientChanges; fields: ClientField[] } {
  const { passportConfig, service, environment } = wanted;
  const decision = decideClientPatch(
    existing,
    passportConfig === undefined ? {} : { passportConfig },
    // What the deploy of a catalog writes passes by the rules for people (spec 1, C).
    'super_admin',
  );
  const adopted: ClientChanges = existing.service === null ? { service, environment } : {};
  return { changes: { ...decision.changes, ...adopted }, fields: [...decision.fields] };
}

function extensionData({ additions }: MergedClient, fields: readonly ClientField[]) {
  return {
    fields: [...fields],
    redirectUris_added: additions.redirectUris ?? [],
    allowedScopes_added: additions.allowedScopes ?? [],
    allowedGrantTypes_added: additions.allowedGrantTypes ?? [],
  };
}

/**
 * A secret beside the others where there is room, so that what runs goes on; otherwise in the place of all. One of the
 * same key gives way to it: its answer was lost, and nobody knows it.
 */
async function giveSecret(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  client: ClientRecord,
  { secretFor }: Provision,
): Promise<string> {
  const { clientId } = client;
  const secret = newClientSecret(deps, { issuedFor: secretFor?.key ?? null });
  const full = client.secrets.length >= MAX_LIVE_SECRETS;
  const replaces = secretFor?.replaces ?? null;
  const type = replaces === null && !full ? 'oauth.client_secret_added' : 'oauth.client_secret_regenerated';
  const removed = replaces === null ? {} : { removed: [replaces] };
  await auditClient(deps, context, { type, client, data: { secretId: secret.record.id, ...removed } });
  if (secretFor !== undefined) {
    const record = { ...secret.record, issuedFor: secretFor.key };
    if (!(await deps.clients.putSecretOfKey(clientId, record, replaces))) throw madeMeanwhile(clientId);
  } else if (full) await deps.clients.replaceSecrets(clientId, secret.record);
  else await deps.clients.addSecret(clientId, secret.record);
  return secret.text;
}

/** A request that was held up is not to void the secret of the one that was sent after it. */
function madeMeanwhile(clientId: string): FairleadError {
  const message = `Another secret of ${clientId} was made meanwhile for the same credential: look at the client again`;
  return new FairleadError('CONFLICT', message, { retryable: true });
}
