import { FairleadError } from '../../domain/errors.ts';
import {
  applyChange,
  declare,
  type EntryChange,
  newEntry,
  removedEntry,
  removeEntry,
  type ServiceDeclaration,
} from '../../domain/registry/change-entry.ts';
import type { ServiceEntry } from '../../domain/registry/service-entry.ts';
import type { RegistryDeps } from './deps.ts';

type Deps = Pick<RegistryDeps, 'entries' | 'now'>;

/** Writers of one entry come one after another; more tries than this mean that something is wrong. */
const TRIES = 10;

/** Makes the entry of a service, or brings it up to date. @throws SERVICE_NOT_FOUND for one that was removed */
export async function declareService(deps: Deps, declaration: ServiceDeclaration): Promise<ServiceEntry> {
  const entry = newEntry(declaration, deps.now());
  if (await deps.entries.insert(entry)) return entry;
  return await changeService(deps, declaration.id, declare(declaration));
}

/**
 * Changes the entry of a service: reads it, and writes the next one unless somebody else wrote meanwhile; then once more.
 * @throws SERVICE_NOT_FOUND for a service that was not declared, or that was removed; what the change throws; CONFLICT
 *   (retryable) when others go on writing
 */
export async function changeService(deps: Deps, id: string, change: EntryChange): Promise<ServiceEntry> {
  const changed = await tryChange(deps, id, change);
  if (changed === null) throw serviceUnknown(id);
  return changed;
}

/**
 * Removes all of a service. Its deploys go last, and by then nobody finds them. No error when it is gone, or was never
 * declared: a late write makes no entry of it then either.
 */
export async function removeService(deps: Deps & Pick<RegistryDeps, 'deploys'>, id: string): Promise<void> {
  await deps.entries.insert(removedEntry(id, deps.now()));
  await tryChange(deps, id, removeEntry);
  await deps.deploys.removeService(id);
}

/** Null for a service that is not there. */
async function tryChange({ entries, now }: Deps, id: string, change: EntryChange): Promise<ServiceEntry | null> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = await entries.find(id);
    if (before === null || before.removedAt !== null) return null;
    const next = applyChange(before, change, now());
    if (next === before || (await entries.replace(next, before.revision))) return next;
  }
  throw new FairleadError('CONFLICT', `Others are changing ${id}; try again`, { retryable: true });
}

export function serviceUnknown(idOrName: string): FairleadError {
  return new FairleadError('SERVICE_NOT_FOUND', `Service not found: ${idOrName}`);
}
