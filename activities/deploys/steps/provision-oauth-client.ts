import type { AuthDeclaration, Catalog } from '../../../domain/catalog/catalog.ts';
import type { OAuthCredential, ServiceRecord } from '../../../domain/catalog/service.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { Environment } from '../../../domain/environment.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { ClientAdministration } from '../../../domain/oauth-clients/administration-port.ts';
import type { ProvisionReply, ProvisionRequest } from '../../../domain/oauth-clients/client-schema.ts';
import { credentialKey, openCredential, sealCredential } from '../../../domain/oauth-clients/credential.ts';
import {
  type DependencyTarget,
  type DerivedScopes,
  deriveScopes,
  GRANT_TYPES_OF_MODE,
} from '../../../domain/oauth-clients/derive-client.ts';
import { serviceClientId } from '../../../domain/oauth-clients/ownership.ts';
import { isLoopbackHost, serviceCallback } from '../../../domain/oauth-clients/redirect-uri.ts';
import { requireCipher } from '../client-credentials.ts';
import type { DeploysDeps } from '../deps.ts';
import { adminScopes, grantAdminScopes } from '../grant-admin-scopes.ts';
import { settleEarlierCallbacks, whileAddingCallbacks } from '../pending-callbacks.ts';
import { grantsOf, settleEarlierGrants, targetsOf, whileGranting } from '../pending-grants.ts';
import { findService } from '../service-lookup.ts';
import { requireFacts, type StepContext } from '../step.ts';
import { warnOfRefusedScopes } from '../warn-of-refused-scopes.ts';

type Deps = Pick<DeploysDeps, 'services' | 'clients' | 'cipher' | 'edge' | 'customDomains'> & {
  readonly settings: Pick<DeploysDeps['settings'], 'platformUrls' | 'hasPlatformProxy' | 'gate'>;
};

/**
 * Makes the OAuth client of a service that declares `spec.auth`, or adds what its client lacks, and keeps the client
 * secret on the service record (spec 1, B and "OAuth client at deploy").
 *
 * Idempotent: deploys only add, but for scopes of services and callbacks of names that are gone. A secret is stored before anything says that there is one; an attempt that finds a
 * client without a stored secret gives it a new one, in the place of the one that an earlier attempt, or build, was given and
 * did not store.
 */
export async function provisionOAuthClient(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { catalog } = requireFacts(context.facts, ['catalog']);
  if (catalog.auth === null) return {};
  warnOfUnreachable(deps, context);
  const service = await findService(deps, context.build);
  // Looked for first: a secret that is made must find its place.
  requireCipher(deps, service.name);
  await settleEarlierGrants(deps, context, service);
  await settleEarlierCallbacks(deps, context, service);
  const targets = await targetsOf(deps, catalog);
  const holder = { service, environment: context.build.environment };
  const names = await deps.customDomains.verified({ serviceId: service.id, environment: holder.environment });
  const declared = { catalog, auth: catalog.auth, service, targets, names };
  const { wanted, refused } = wantedClient(deps, context, declared);
  const { kept } = await whileGranting(deps, holder, grantsOf(wanted.scopes, targets), () =>
    whileAddingCallbacks(deps, holder, names, () => provision(deps, context, service, wanted)),
  );
  const ofAdmin = adminScopes(deps, context, { org: service.org, refused });
  const clientId = serviceClientId(service.name, context.build.environment);
  await grantAdminScopes(deps, context, { clientId, scopes: ofAdmin });
  warnOfRefusedScopes(
    context,
    refused.filter(({ scope }) => !ofAdmin.includes(scope)),
    kept,
  );
  return {};
}

/** What is known of a client after a deploy asked for it. */
interface Provisioned {
  /** Scopes that it has besides those of this deploy; null where the provider, being away, said nothing. */
  readonly kept: readonly string[] | null;
}

async function provision(deps: Deps, context: StepContext, read: ServiceRecord, wanted: Wanted): Promise<Provisioned> {
  const extended = await extendExisting(deps, context, read, wanted);
  if (extended !== null) return extended;
  // A secret is replaced by what this says: a majority of the database has to.
  const service = await deps.services.findConfirmed(read.id);
  if (service === null) throw deletedMeanwhile(read);
  const byNow = await extendExisting(deps, context, service, wanted);
  if (byNow !== null) return byNow;
  const reply = await askForSecret(deps, context, service, wanted);
  if (reply.clientSecret !== null) await storeSecret(deps, service, context, reply.clientId, reply.clientSecret);
  return report(context, reply);
}

/** Makes the client, or gives it a secret in the place of the one that was made for the same credential and got lost. */
async function askForSecret(
  deps: Deps,
  { build: { environment }, signal }: StepContext,
  service: ServiceRecord,
  wanted: Wanted,
): Promise<ProvisionReply> {
  const provider = requireProvider(deps);
  const key = credentialKey(service, environment);
  const client = await provider.find(serviceClientId(service.name, environment));
  const replaces = client?.secrets.find(({ issuedFor }) => issuedFor === key)?.id ?? null;
  try {
    return await provider.provision({ ...wanted, create: true, newSecret: true, secretFor: { key, replaces } }, signal);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'CONFLICT') throw error;
    // The next attempt sees the secret that was made meanwhile.
    throw new FairleadError('CONFLICT', error.message, { retryable: true, cause: error });
  }
}

/** The service is given the provider's address as people use it, and on a developer's machine that is the loopback's. */
function warnOfUnreachable({ settings }: Deps, { build, warn }: StepContext): void {
  const { IDP_URL: url } = settings.platformUrls;
  if (url === undefined || settings.hasPlatformProxy || !isLoopbackHost(new URL(url).hostname)) return;
  warn(
    `${build.service} cannot reach the identity provider: IDP_URL is ${url}, and in a container that is the container itself. Start the stack with HOST=0.0.0.0 and IDP_URL=http://<address of this machine>:<port>, on a network you trust.`,
  );
}

type Wanted = Omit<ProvisionRequest, 'create' | 'newSecret'>;

function wantedClient(
  deps: Deps,
  context: StepContext,
  {
    catalog,
    auth,
    service,
    targets,
    names,
  }: {
    readonly catalog: Catalog;
    readonly auth: AuthDeclaration;
    readonly service: ServiceRecord;
    readonly targets: readonly DependencyTarget[];
    /** Of its own, at which it is served besides the platform's. */
    readonly names: readonly string[];
  },
): { readonly wanted: Wanted; readonly refused: DerivedScopes['refused'] } {
  const { environment } = context.build;
  const publicUrl = deps.edge.url(service.name, environment);
  const urls = [...deps.edge.urls(service.name, environment), ...names.map((name) => `https://${name}`)];
  const callbacks = urls.flatMap((url) => serviceCallback(url) ?? []);
  if (callbacks.length === 0 && auth.mode === 'sso') {
    context.warn(`No redirect URI is registered: ${publicUrl} is not https, and people cannot log in there.`);
  }
  const { scopes, refused } = deriveScopes(catalog.dependencies, service.org, targets);
  const passportConfig = { ...auth.passport, allowedEmbedOrigins: [...auth.passport.allowedEmbedOrigins] };
  const wanted = {
    service: service.name,
    environment,
    orgSlug: service.org,
    redirectUris: callbacks,
    scopes: [...scopes],
    grantTypes: [...GRANT_TYPES_OF_MODE[auth.mode]],
    passportConfig,
  };
  return { wanted, refused };
}

/**
 * Adds what a client lacks whose credential is stored. Null when there is no credential, or no client any more. With a
 * provider that is away nothing is sent or nothing is known of it, and what is stored still works (spec 1, "OAuth client
 * at deploy"): a warning.
 */
async function extendExisting(
  deps: Deps,
  context: StepContext,
  service: ServiceRecord,
  wanted: Wanted,
): Promise<Provisioned | null> {
  const { environment } = context.build;
  const stored = service.oauthCredentials[environment];
  if (stored === undefined) return null;
  if (!isReadable(deps, service, environment)) {
    await deps.services.clearOAuthCredential(service.id, environment, stored.clientId);
    context.warn(
      `The stored secret of ${stored.clientId} cannot be read with the keys of this installation; it gets a new one.`,
    );
    return null;
  }
  try {
    if (await isVoid(requireProvider(deps), stored)) {
      await deps.services.clearOAuthCredential(service.id, environment, stored.clientId);
      context.warn(`The stored secret of ${stored.clientId} was removed at the identity provider; it gets a new one.`);
      return null;
    }
    return report(context, await requireProvider(deps).provision({ ...wanted, create: false }, context.signal));
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    if (error.code === 'UNAVAILABLE') {
      context.warn(`${error.message} Redirect URIs and scopes of ${stored.clientId} were not synchronized.`);
      return { kept: null };
    }
    if (error.code !== 'CLIENT_NOT_FOUND') throw error;
  }
  // Forgotten before the new one is made: an attempt that ends in between must not take the old secret for good.
  await deps.services.clearOAuthCredential(service.id, environment, stored.clientId);
  context.warn(`Client ${stored.clientId} no longer existed at the identity provider; creating a new one.`);
  return null;
}

/**
 * Whether the stored secret is one that was asked for by hand and removed since, as with the org that asked for it. Not
 * known of a client that is gone.
 */
async function isVoid(clients: Pick<ClientAdministration, 'find'>, stored: OAuthCredential): Promise<boolean> {
  const { byHand, clientId } = stored;
  if (byHand === undefined) return false;
  const client = await clients.find(clientId);
  return client !== null && !client.secrets.some(({ id }) => id === byHand.secretId);
}

/** A secret whose key is gone is as good as none: what the workload would be given cannot be made of it. */
function isReadable(deps: Deps, service: ServiceRecord, environment: Environment): boolean {
  try {
    openCredential(requireCipher(deps, service.name), service, environment);
    return true;
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'INTERNAL') return false;
    throw error;
  }
}

function requireProvider({ clients }: Deps): Pick<ClientAdministration, 'find' | 'provision'> {
  if (clients !== null) return clients;
  const message = 'No identity provider is configured on the worker: set IDP_URL and IDP_INTERNAL_KEY.';
  throw new FairleadError('UNAVAILABLE', message);
}

async function storeSecret(
  deps: Deps,
  service: ServiceRecord,
  context: StepContext,
  clientId: string,
  clientSecret: string,
): Promise<void> {
  const { environment } = context.build;
  const cipher = requireCipher(deps, service.name);
  const credential = sealCredential(cipher, service.name, environment, { clientId, clientSecret });
  if (await deps.services.setOAuthCredential(service.id, environment, credential)) return;
  throw deletedMeanwhile(service);
}

function deletedMeanwhile({ name }: ServiceRecord): FairleadError {
  return new FairleadError('SERVICE_NOT_FOUND', `Service not found: ${name} was deleted while it was built.`);
}

/** Names of what is there by hand are shown, and no values of anything (spec 1, B 3). */
function report({ onLine }: StepContext, { clientId, created, clientSecret, preserved }: ProvisionReply): Provisioned {
  if (created) onLine(`Created the OAuth client ${clientId}`);
  else if (clientSecret !== null) onLine(`OAuth client ${clientId} has a new secret: none was stored here`);
  else onLine(`OAuth client ${clientId} is in place`);
  if (preserved.scopes.length > 0)
    onLine(`Scopes kept that this deploy did not derive: ${preserved.scopes.join(', ')}`);
  return { kept: preserved.scopes };
}
