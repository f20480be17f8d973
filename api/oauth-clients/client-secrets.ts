import { FairleadError } from '../../domain/errors.ts';
import type { AddedBy } from '../../domain/oauth-clients/added-by.ts';
import { type ClientRecord, type ClientSecret, MAX_LIVE_SECRETS } from '../../domain/oauth-clients/client.ts';
import { secretsFull } from '../../domain/oauth-clients/client-errors.ts';
import { type ClientView, type ClientWithSecret, clientView } from '../../domain/oauth-clients/client-schema.ts';
import type { AdministratorCaller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { addedByOf, auditClient } from './client-audit.ts';
import { requireChangeable, requireClient } from './require-client.ts';

/** What secrets of clients begin with, so that secret scanners know them. */
const SECRET_PREFIX = 'flcs_';

export interface NewSecret {
  /** The secret itself: shown once, stored nowhere. */
  readonly text: string;
  readonly record: ClientSecret;
}

/** A new secret of 256 random bits, of which the SHA-256 is kept; for a key of a deploy, or asked for by hand. */
export function newClientSecret(
  deps: Pick<IdentityDeps, 'tokens' | 'newId' | 'now'>,
  { issuedFor = null, addedBy = null }: { readonly issuedFor?: string | null; readonly addedBy?: AddedBy | null },
): NewSecret {
  const text = deps.tokens.create(SECRET_PREFIX);
  const record = {
    id: deps.newId('clientSecret'),
    hash: deps.tokens.hash(text),
    issuedFor,
    addedBy,
    createdAt: deps.now(),
    lastUsedAt: null,
  };
  return { text, record };
}

/**
 * Gives a client a second secret beside the one it has, so that it can be rotated without downtime. Like every secret it
 * is told in the audit trail before it is made: an event that cannot be kept leaves no secret that nobody was shown.
 * @throws CLIENT_NOT_FOUND, FORBIDDEN, CLIENT_SECRETS_FULL; CONFLICT for a public client, and as `takesAddition`
 */
export async function addSecret(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  clientId: string,
): Promise<ClientWithSecret> {
  const client = requireConfidential(await requireChangeable(deps.clients, clientId));
  const secret = newClientSecret(deps, { addedBy: addedByOf(context) });
  if (client.secrets.length >= MAX_LIVE_SECRETS) throw secretsFull(clientId);
  const data = { secretId: secret.record.id };
  await auditClient(deps, context, { type: 'oauth.client_secret_added', client, data });
  await deps.clients.addSecret(clientId, secret.record);
  return await withSecret(deps, clientId, secret);
}

/** One new secret in the place of all there are. @throws CLIENT_NOT_FOUND, FORBIDDEN, CONFLICT as `addSecret` */
export async function regenerateSecret(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  clientId: string,
): Promise<ClientWithSecret> {
  const client = requireConfidential(await requireChangeable(deps.clients, clientId));
  const secret = newClientSecret(deps, { addedBy: addedByOf(context) });
  const data = { secretId: secret.record.id, removed: client.secrets.map(({ id }) => id) };
  await auditClient(deps, context, { type: 'oauth.client_secret_regenerated', client, data });
  await deps.clients.replaceSecrets(clientId, secret.record);
  return await withSecret(deps, clientId, secret);
}

/** Ends a secret at once; tokens that were got with it live until they expire. @throws CLIENT_NOT_FOUND, FORBIDDEN, NOT_FOUND */
export async function removeSecret(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  clientId: string,
  secretId: string,
): Promise<ClientView> {
  const client = await requireChangeable(deps.clients, clientId);
  const noSuchSecret = () => new FairleadError('NOT_FOUND', `Client ${clientId} has no such secret`);
  if (!client.secrets.some(({ id }) => id === secretId)) throw noSuchSecret();
  const type = 'oauth.client_secret_removed';
  await auditClient(deps, context, { id: `${type}/${secretId}`, type, client, data: { secretId } });
  if (!(await deps.clients.removeSecret(clientId, secretId))) throw noSuchSecret();
  return clientView(await requireClient(deps.clients, clientId));
}

async function withSecret(deps: IdentityDeps, clientId: string, secret: NewSecret): Promise<ClientWithSecret> {
  const client = await requireClient(deps.clients, clientId);
  return { ...clientView(client), clientSecret: secret.text, secretId: secret.record.id };
}

function requireConfidential(client: ClientRecord): ClientRecord {
  if (client.clientType === 'confidential') return client;
  throw new FairleadError(
    'CONFLICT',
    `${client.clientId} is a public client: it has no secret to keep (RFC 6749, 2.1)`,
  );
}
