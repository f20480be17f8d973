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
