import { NO_WHITE_LABEL } from '../../../domain/branding/white-label.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import { NEW_CLIENT } from '../../../domain/oauth-clients/creation.ts';
import { NO_PASSPORT } from '../../../domain/passport-config.ts';

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
