import { isDeepStrictEqual } from 'node:util';
import { FairleadError } from '../../domain/errors.ts';
import type { ClientRecord } from '../../domain/oauth-clients/client.ts';
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
  const settings = { ...deps.settings, platformOrg: org.slug };
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
  if (fields.length + existing.secrets.length === 0) return;
  const type = 'oauth.client_updated';
  await audit(deps, null, {
    id: idBeforeChange(type, existing),
    type,
    actor: 'internal',
    subject: clientId,
    orgSlug: existing.orgSlug,
    data: { reason: 'start', fields, secrets_removed: existing.secrets.map(({ id }) => id) },
  });
  for (const { id } of existing.secrets) await deps.clients.removeSecret(clientId, id);
  if (fields.length > 0) await deps.clients.update(clientId, changes);
}

/** Of all fields but those by which a client is known, and its secrets. */
function differences(existing: ClientRecord, wanted: ClientRecord): ClientChanges {
  const { clientId, orgSlug, clientType, service, environment, secrets, createdBy, createdAt, updatedAt, ...fields } =
    wanted;
  const present: Partial<Record<string, unknown>> = { ...existing };
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isDeepStrictEqual(value, present[name])));
}
