import { FairleadError } from '../../domain/errors.ts';
import type { ServiceEntry } from '../../domain/registry/service-entry.ts';
import { serviceRow } from '../../domain/services.ts';
import { PLATFORM } from '../http/allowed-callers.ts';
import { type Caller, isPlatform } from '../http/caller.ts';

/**
 * Who reads what is registered of a service: the platform, and of its own org people with a role and services. What is
 * another org's is not found.
 */
export const READERS = { ...PLATFORM, user: 'viewer', service: true } as const;

/** Who writes what is deployed: the builder alone, by the installation's key or by a token of its own client. */
export const WRITERS = { internal: true, 'platform-service': true } as const;

/** @throws FORBIDDEN for a service of the platform that is not the builder */
export function requireBuilder(caller: Caller): void {
  if (caller.kind !== 'platform-service' || caller.clientId === serviceRow('builder').platformClient) return;
  throw new FairleadError('FORBIDDEN', 'This is for the builder alone');
}

export function mayRead(caller: Caller, { org }: Pick<ServiceEntry, 'org'>): boolean {
  return isPlatform(caller) || (caller.org !== '' && caller.org === org);
}

/** Slug of the org whose services a caller sees; null for all. @throws FORBIDDEN for a caller without an org */
export function readableOrg(caller: Caller): string | null {
  if (isPlatform(caller)) return null;
  if (caller.org !== '') return caller.org;
  throw new FairleadError('FORBIDDEN', 'This needs a token with an org');
}
