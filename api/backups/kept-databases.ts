import { type KeptDatabase, keptOfRestore, keptOfService } from '../../domain/backups/kept-database.ts';
import type { Restore } from '../../domain/backups/restore.ts';
import { databaseId } from '../../domain/databases/record.ts';
import { eachItem } from '../../domain/each-item.ts';
import { FairleadError } from '../../domain/errors.ts';
import { visibleOrg } from '../catalog/access.ts';
import type { Caller } from '../http/caller.ts';
import type { BackupsDeps } from './deps.ts';

/** Databases that are kept before they are dropped, of the caller's org; for the platform of all. The next to go first. */
export async function listKept(deps: BackupsDeps, caller: Caller): Promise<readonly KeptDatabase[]> {
  const org = visibleOrg(caller);
  const now = deps.now();
  const kept: KeptDatabase[] = [];
  for await (const record of eachItem((page) => deps.databaseRecords.listKept(org, page))) {
    const found = keptOfService(record, now);
    if (found !== null) kept.push(found);
  }
  for await (const restore of eachItem((page) => deps.restores.listKept(page))) {
    const found = await keptBy(deps, restore);
    if (found !== null && (org === null || found.org === org)) kept.push(found);
  }
  return kept.sort((a, b) => a.keptUntil.getTime() - b.keptUntil.getTime() || (a.id < b.id ? -1 : 1));
}

/** A kept database that the caller may see. @throws DATABASE_NOT_FOUND */
export async function requireKept(deps: BackupsDeps, caller: Caller, id: string): Promise<KeptDatabase> {
  const found = await findKept(deps, id);
  const org = visibleOrg(caller);
  if (found !== null && (org === null || found.org === org)) return found;
  throw new FairleadError('DATABASE_NOT_FOUND', `There is no kept database ${id}: a service has it, or it is gone`);
}

async function findKept(deps: BackupsDeps, id: string): Promise<KeptDatabase | null> {
  if (id.startsWith('rst_')) {
    const restore = await deps.restores.find(id);
    return restore && (await keptBy(deps, restore));
  }
  const record = await deps.databaseRecords.find(id.replace('.', '/'));
  return record && keptOfService(record, deps.now());
}

/** Whose it is, the record of the database that was restored says: of a later service of the name it is nothing. */
async function keptBy({ databaseRecords, now }: BackupsDeps, restore: Restore): Promise<KeptDatabase | null> {
  const { engine, databaseName, serviceId } = restore;
  const record = await databaseRecords.find(databaseId(engine, databaseName));
  const isSame = record !== null && [record.serviceId, ...record.earlierServiceIds].includes(serviceId);
  return keptOfRestore(restore, isSame ? record : null, now());
}

/**
 * Has a kept database dropped now. One whose time has come is joined. Idempotent.
 * @throws CONFLICT where it is kept until another time by now, or a service has it
 */
export async function dropEarly(
  deps: BackupsDeps,
  kept: KeptDatabase,
  by: { readonly requestedBy: string; readonly requestId: string },
): Promise<KeptDatabase> {
  const now = deps.now();
  const isDue = kept.state === 'dropping';
  const dropAfter = isDue ? kept.keptUntil : now;
  const dropped = { ...kept, keptUntil: dropAfter, state: 'dropping' } as const;
  if (kept.because === 'restore') {
    if (!isDue && !(await deps.restores.keepUntil(kept.id, now))) throw isChanged(kept);
    await deps.backupCommands.dropCopy({ restoreId: kept.id, ...by });
    return dropped;
  }
  const id = databaseId(kept.engine, kept.databaseName);
  if (!isDue && !(await deps.databaseRecords.keepLonger(id, kept.keptUntil, now))) throw isChanged(kept);
  await deps.databaseCommands.dropSooner({ id, dropAfter });
  return dropped;
}

function isChanged({ databaseName }: KeptDatabase): FairleadError {
  const message = `${databaseName} has changed meanwhile: a service has it again, or it is dropped at another time. Look again`;
  return new FairleadError('CONFLICT', message);
}
