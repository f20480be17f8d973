import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { DeploysDeps } from './deps.ts';

/** The record of the service a build is for. @throws SERVICE_NOT_FOUND when it was deleted in the meantime. */
export async function findService(deps: Pick<DeploysDeps, 'services'>, build: BuildRequest): Promise<ServiceRecord> {
  const service = await deps.services.find(build.serviceId);
  if (service !== null && service.removingSince === null) return service;
  throw new FairleadError('SERVICE_NOT_FOUND', `Service not found: ${build.service} was deleted while it was built.`);
}

/**
 * The org that owns a service, as a majority of the database has it: credentials are given by it. Null when the service is gone.
 * @throws UNAVAILABLE
 */
export async function ownerOf({ services }: Pick<DeploysDeps, 'services'>, serviceId: string): Promise<string | null> {
  return (await services.findConfirmed(serviceId))?.org ?? null;
}
