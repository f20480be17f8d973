import { FairleadError } from '../../domain/errors.ts';
import { refusePlatformClient } from '../../domain/oauth-clients/platform-client.ts';

/** The client of that id, from a store or from the provider. @throws CLIENT_NOT_FOUND */
export async function requireClient<T>(
  clients: { find(clientId: string): Promise<T | null> },
  clientId: string,
): Promise<T> {
  return requireFound(await clients.find(clientId), clientId);
}

/** The client of that id, to be changed. @throws CLIENT_NOT_FOUND; FORBIDDEN for a client of the platform */
export async function requireChangeable<T>(
  clients: { find(clientId: string): Promise<T | null> },
  clientId: string,
): Promise<T> {
  refusePlatformClient(clientId);
  return await requireClient(clients, clientId);
}

/** @throws CLIENT_NOT_FOUND for null, which is what stores and the provider answer then */
export function requireFound<T>(client: T | null, clientId: string): T {
  if (client !== null) return client;
  throw new FairleadError('CLIENT_NOT_FOUND', `No client has the id ${clientId}`);
}
