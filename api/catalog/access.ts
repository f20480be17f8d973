import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type Caller, isPlatform } from '../http/caller.ts';

/**
 * The service access check (spec 2, "Authentication", 2): the caller's org owns the service or is authorized for it.
 * The platform passes.
 */
export function mayUse(caller: Caller, service: Pick<ServiceRecord, 'org' | 'authorizedOrgs'>): boolean {
  if (isPlatform(caller)) return true;
  // Someone in no org shares nothing with a service of no org.
  if (caller.org === '') return false;
  return service.org === caller.org || service.authorizedOrgs.includes(caller.org);
}

/** A service by id or name. @throws SERVICE_NOT_FOUND also for one that exists but is not the caller's to see. */
export async function requireService(
  services: Pick<ServiceStore, 'find'>,
  caller: Caller,
  idOrName: string,
): Promise<ServiceRecord> {
  const service = await services.find(idOrName);
  if (service === null || !mayUse(caller, service)) {
    throw new FairleadError('SERVICE_NOT_FOUND', `Service not found: ${idOrName}`);
  }
  return service;
}

/**
 * What the owner alone does, and the platform: an org that shares a service manages it, and does not decide whose it is.
 * @param what completes "Only admins of the owner …" @throws FORBIDDEN
 */
export function requireOwner(service: ServiceRecord, caller: Caller, what: string): ServiceRecord {
  if (isPlatform(caller) || caller.org === service.org) return service;
  throw new FairleadError('FORBIDDEN', `Only admins of ${service.org}, which owns ${service.name}, ${what}`);
}

/** The org whose services a caller sees in lists; null for all. */
export function visibleOrg(caller: Caller): string | null {
  return isPlatform(caller) ? null : caller.org;
}
