import { type AddedBy, ENTRY_LISTS } from '../../../domain/oauth-clients/added-by.ts';
import type { ActingFor } from '../../../domain/oauth-clients/administration-port.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import { sharingChanged } from '../../../domain/oauth-clients/client-errors.ts';
import type { ClientChanges, ClientStore, ListEntry } from '../../../domain/oauth-clients/ports.ts';

/** Changes the lists entry by entry. @returns the other changes */
export async function withEntries(clients: ClientStore, before: ClientRecord, changes: ClientChanges, by: ActingFor) {
  const { redirectUris, postLogoutRedirectUris, customDomains, ...rest } = changes;
  const lists = { redirectUris, postLogoutRedirectUris, customDomains };
  const { clientId } = before;
  for (const list of ENTRY_LISTS) {
    const [is, was] = [lists[list] ?? before[list], before[list]];
    for (const value of is) if (!was.includes(value)) await addEntry(clients, clientId, { list, value }, by);
    for (const value of was) if (!is.includes(value)) await clients.removeEntry(clientId, { list, value });
  }
  return rest;
}

export function addedBy({ actor, org, sharingRevision }: ActingFor): AddedBy {
  return { org: org ?? null, actor, sharingRevision: sharingRevision ?? null };
}

export async function addEntry(clients: ClientStore, clientId: string, entry: ListEntry, by: ActingFor): Promise<void> {
  if (!(await clients.addEntry(clientId, entry, addedBy(by)))) throw sharingChanged(clientId);
}
