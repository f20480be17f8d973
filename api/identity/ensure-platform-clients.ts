import { FairleadError } from '../../domain/errors.ts';
import type { ClientRecord } from '../../domain/oauth-clients/client.ts';
import { audit } from './audit.ts';
import type { IdentityDeps } from './deps.ts';
import { platformClients } from './platform-clients.ts';

/**
 * Makes the clients of every installation, and adds to those that exist what they came to need since: the redirect URI of
 * an address that was changed, an audience of a newer version. Nothing is taken away, for it may have been put there by
 * hand, and an address may still be in use. Safe to run by every process at its start.
 */
export async function ensurePlatformClients(deps: IdentityDeps): Promise<void> {
  for (const client of platformClients(deps.settings, deps.now())) {
    try {
      await deps.clients.insert(client);
    } catch (error) {
      if (!(error instanceof FairleadError) || error.code !== 'CLIENT_EXISTS') throw error;
      await addMissing(deps, client);
    }
  }
}

async function addMissing(deps: IdentityDeps, wanted: ClientRecord): Promise<void> {
  const existing = await deps.clients.find(wanted.clientId);
  if (existing === null) return;
  const redirectUris = missing(wanted.redirectUris, existing.redirectUris);
  const audience = missing(wanted.defaultAudience, existing.defaultAudience);
  if (redirectUris.length + audience.length === 0) return;
  const changes = audience.length === 0 ? {} : { defaultAudience: [...existing.defaultAudience, ...audience] };
  await deps.clients.update(wanted.clientId, changes, { redirectUris });
  await audit(deps, null, {
    type: 'oauth.client_updated',
    actor: 'internal',
    subject: wanted.clientId,
    orgSlug: existing.orgSlug,
    data: { reason: 'start', redirectUris_added: redirectUris, defaultAudience_added: audience },
  });
}

function missing(wanted: readonly string[], present: readonly string[]): readonly string[] {
  return wanted.filter((item) => !present.includes(item));
}
