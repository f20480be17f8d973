import { FairleadError } from '../errors.ts';
import { RESERVED_CLIENT_IDS } from '../services.ts';
import type { ClientRecord } from './client.ts';

/**
 * Whether a client is the platform's own, by its id. Such clients are changed by the installation alone, at its start:
 * whoever could add a redirect URI to the command line's client could take over a super admin's login.
 */
export function isPlatformClient(clientId: string): boolean {
  return RESERVED_CLIENT_IDS.has(clientId);
}

/** Whether a client is that of the platform's own pages: at exactly one address, where nobody needs to be asked. */
export function isPlatformPages(client: Pick<ClientRecord, 'clientId' | 'trustedClient'>): boolean {
  return client.trustedClient && isPlatformClient(client.clientId);
}

/** @throws FORBIDDEN for a client of the platform */
export function refusePlatformClient(clientId: string): void {
  if (!isPlatformClient(clientId)) return;
  throw new FairleadError(
    'FORBIDDEN',
    `${clientId} belongs to the platform: only the settings of the installation change it`,
  );
}

/** @throws CLIENT_EXISTS for an id that the platform uses, or will */
export function refuseReservedId(clientId: string): void {
  if (!isPlatformClient(clientId)) return;
  throw new FairleadError('CLIENT_EXISTS', `${clientId} is reserved for the platform: choose another client id`);
}
