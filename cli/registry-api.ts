import type { ApiClient } from './api-client.ts';
import type { CliContext } from './context.ts';
import { connectToService } from './service-api.ts';

/** The service registry that belongs to a builder API. @throws CliFailure NO_REGISTRY, REGISTRY_UNSAFE */
export function connectToRegistry(context: CliContext): ApiClient {
  return connectToService(context, 'registry', { unknown: 'NO_REGISTRY', unsafe: 'REGISTRY_UNSAFE' });
}
