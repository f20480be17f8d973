import { ENVIRONMENTS } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { ActingFor } from '../../domain/oauth-clients/administration-port.ts';
import type { ClientWithSecret } from '../../domain/oauth-clients/client-schema.ts';
import { sealCredential } from '../../domain/oauth-clients/credential.ts';
import { clientIdOf } from '../../domain/oauth-clients/ownership.ts';
import type { BuilderClientsDeps } from './builder-deps.ts';
import { type OwnedClient, requireProvider } from './client-access.ts';

/**
 * Gives a client a new secret and, where the client is a service's, keeps that secret for the service: its next deploy
 * injects it. Without this a rotation through the builder would end in `invalid_client` (spec 1, B 4).
 * @throws UNAVAILABLE, before anything is changed, when the secret could not be kept; CONFLICT when it is void already
 */
export async function rotateSecret(
  deps: BuilderClientsDeps,
  { client, service }: OwnedClient,
  by: ActingFor,
  rotate: (by: ActingFor) => Promise<ClientWithSecret>,
): Promise<ClientWithSecret> {
  const environment =
    service === null ? undefined : ENVIRONMENTS.find((name) => clientIdOf(service, name) === client.clientId);
  if (service === null || environment === undefined) return await rotate(by);
  const { cipher } = deps;
  if (cipher === null) {
    const message = 'The new secret cannot be kept for the service, because CONFIG_ENCRYPTION_KEY is not set here';
    throw new FairleadError('UNAVAILABLE', message);
  }
  const rotated = await rotate(by);
  const { clientId, clientSecret, secretId } = rotated;
  if (clientSecret === null || secretId === null) return rotated;
  const byHand = { secretId, org: by.org ?? null };
  const credential = sealCredential(cipher, service.name, environment, { clientId, clientSecret, byHand });
  await deps.services.setOAuthCredential(service.id, environment, credential);
  await requireLive(deps, rotated);
  return rotated;
}

/** Of two who replace a client's secrets at once, the one whose secret is void already may have stored it last. */
async function requireLive(deps: BuilderClientsDeps, { clientId, secretId }: ClientWithSecret): Promise<void> {
  const client = await requireProvider(deps).find(clientId);
  if (client?.secrets.some(({ id }) => id === secretId)) return;
  const message = `Someone else replaced the secrets of ${clientId} at the same time: do it again, so that the service gets a live one`;
  throw new FairleadError('CONFLICT', message, { retryable: true });
}

/** Forgets the credential of a client that is gone, so that the next deploy makes a new one (spec 1, B 5). */
export async function forgetCredential(deps: BuilderClientsDeps, { client, service }: OwnedClient): Promise<void> {
  if (service === null) return;
  for (const environment of ENVIRONMENTS) {
    await deps.services.clearOAuthCredential(service.id, environment, client.clientId);
  }
}
