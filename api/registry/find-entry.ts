import type { ServiceEntry } from '../../domain/registry/service-entry.ts';
import type { Caller } from '../http/caller.ts';
import { serviceUnknown } from './change-service.ts';
import type { RegistryDeps } from './deps.ts';
import { mayRead } from './registry-callers.ts';

type Deps = Pick<RegistryDeps, 'entries'>;

/** The entry of an id, for who may know of it. @throws SERVICE_NOT_FOUND also for another org's */
export async function findEntry({ entries }: Deps, caller: Caller, id: string): Promise<ServiceEntry> {
  return readable(caller, id, await entries.find(id));
}

/** The entry that has a name, likewise. @throws SERVICE_NOT_FOUND */
export async function findEntryByName({ entries }: Deps, caller: Caller, name: string): Promise<ServiceEntry> {
  return readable(caller, name, await entries.findByName(name));
}

function readable(caller: Caller, asked: string, entry: ServiceEntry | null): ServiceEntry {
  if (entry === null || entry.removedAt !== null || !mayRead(caller, entry)) throw serviceUnknown(asked);
  return entry;
}
