import { isDeepStrictEqual } from 'node:util';
import { FairleadError } from '../../domain/errors.ts';
import type { ClientRecord, ClientSecret } from '../../domain/oauth-clients/client.ts';
import type { ClientChanges } from '../../domain/oauth-clients/ports.ts';
import type { OrgRecord } from '../../domain/orgs/org.ts';
import { audit, idBeforeChange } from './audit.ts';
import type { IdentityDeps } from './deps.ts';
import { platformClients } from './platform-clients.ts';

/**
 * Makes the clients of every installation, and puts those that exist back to what this version and its settings say. No
 * request changes them, so whatever differs is of an older version, of settings that were changed, or of somebody who
 * writes to the database. Safe to run by every process at its start.
 * @param org the platform's
 * @throws CONFLICT when a client of that id belongs to another org
 */
export async function ensurePlatformClients(deps: IdentityDeps, org: Pick<OrgRecord, 'slug'>): Promise<void> {
  const settings = { ...deps.settings, platformOrg: org.slug, secrets: givenSecrets(deps) };
  for (const client of platformClients(settings, deps.now())) {
    try {
      await deps.clients.insert(client);
    } catch (error) {
      if (!(error instanceof FairleadError) || error.code !== 'CLIENT_EXISTS') throw error;
      await putBack(deps, client);
    }
  }
}

async function putBack(deps: IdentityDeps, wanted: ClientRecord): Promise<void> {
  const { clientId } = wanted;
  const existing = await deps.clients.find(clientId);
  if (existing === null) return;
  if (existing.orgSlug !== wanted.orgSlug || existing.clientType !== wanted.clientType || existing.service !== null) {
    throw new FairleadError(
      'CONFLICT',
      `The OAuth client ${clientId} belongs to the org ${existing.orgSlug}, and the platform needs its id: remove that client from the database of the identity provider`,
    );
  }
  const changes = differences(existing, wanted);
  const fields = Object.keys(changes);
  const [secret] = wanted.secrets;
  const [known, ...more] = existing.secrets;
  const isSecretBack = more.length === 0 && known?.hash === secret?.hash;
  if (fields.length === 0 && isSecretBack) return;
  const type = 'oauth.client_updated';
  await audit(deps, null, {
    id: idBeforeChange(type, existing),
    type,
    actor: 'internal',
    subject: clientId,
    orgSlug: existing.orgSlug,
    data: {
      ...{ reason: 'start', fields },
      secrets_removed: isSecretBack ? [] : existing.secrets.map(({ id }) => id),
      secrets_added: isSecretBack || secret === undefined ? [] : [secret.id],
    },
  });
  if (!isSecretBack) await putSecret(deps, existing, secret);
  if (fields.length > 0) await deps.clients.update(clientId, changes);
}

async function putSecret(deps: IdentityDeps, { clientId, secrets }: ClientRecord, secret: ClientSecret | undefined) {
  if (secret !== undefined) return deps.clients.replaceSecrets(clientId, secret);
  for (const { id } of secrets) await deps.clients.removeSecret(clientId, id);
}

/** The secrets that the settings name, as clients keep them. */
function givenSecrets({ settings, tokens, newId, now }: IdentityDeps): Readonly<Record<string, ClientSecret>> {
  const secrets = Object.entries(settings.clientSecrets).map(([clientId, secret]): [string, ClientSecret] => {
    return [
      clientId,
      {
        ...{ id: newId('clientSecret'), hash: tokens.hash(secret), issuedFor: null, addedBy: null },
        ...{ createdAt: now(), lastUsedAt: null },
      },
    ];
  });
  return Object.fromEntries(secrets);
}

/** Of all fields but those by which a client is known, and its secrets. */
function differences(existing: ClientRecord, wanted: ClientRecord): ClientChanges {
  const { clientId, orgSlug, clientType, service, environment, secrets, ...rest } = wanted;
  const { addedEntries, sharingRevision, createdBy, createdAt, updatedAt, ...fields } = rest;
  const present: Partial<Record<string, unknown>> = { ...existing };
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isDeepStrictEqual(value, present[name])));
}
