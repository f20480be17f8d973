import { type ClientRecord, NO_PASSPORT, NO_WHITE_LABEL } from '../../../domain/oauth-clients/client.ts';
import { NEW_CLIENT } from '../../../domain/oauth-clients/creation.ts';

/** A client made by the org acme. */
export function clientRecord(changes: Partial<ClientRecord> = {}): ClientRecord {
  return {
    ...NEW_CLIENT,
    passportConfig: NO_PASSPORT,
    whiteLabel: NO_WHITE_LABEL,
    clientId: 'portal',
    name: 'Portal',
    orgSlug: 'acme',
    secrets: [],
    createdBy: 'usr_ada',
    createdAt: new Date('2026-01-01T00:00:00Z'),
    updatedAt: new Date('2026-01-01T00:00:00Z'),
    ...changes,
  };
}
