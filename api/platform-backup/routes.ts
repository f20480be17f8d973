import { z } from 'zod';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { NewId } from '../../domain/ids.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import type { PlatformBackup } from '../../domain/platform-backup/backup.ts';
import type { PlatformBackupCommands, PlatformBackupJob } from '../../domain/platform-backup/messages.ts';
import { runningRecord } from '../../domain/platform-backup/new-record.ts';
import {
  platformBackupsQuerySchema,
  platformBackupView,
  platformBackupViewSchema,
} from '../../domain/platform-backup/platform-backup-schema.ts';
import type { PlatformBackupStore } from '../../domain/platform-backup/ports.ts';
import { ADMINISTRATORS } from '../http/allowed-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';

export interface PlatformBackupRoutesDeps {
  readonly platformBackups: PlatformBackupStore;
  readonly platformBackupCommands: PlatformBackupCommands;
  readonly newId: NewId;
  readonly now: Clock;
}

const ofBackup = z.strictObject({ backupId: z.string().min(1).max(64) });

/** Backups of the platform itself (not in the spec; ours): for super admins. They are restored by a command on an empty installation. */
export function platformBackupRoutes(deps: PlatformBackupRoutesDeps): readonly Route[] {
  const { platformBackups, platformBackupCommands, newId, now } = deps;
  const shared = { tag: 'platform', callers: ADMINISTRATORS } as const;
  const found = { ...shared, params: ofBackup, errors: ['BACKUP_NOT_FOUND'] } as const;
  return [
    defineRoute({
      ...shared,
      method: 'post',
      path: '/platform/backups',
      summary: 'Back the platform up',
      description: 'It goes on by itself: poll the backup until its status leaves `running`.',
      responses: { 202: { description: 'It runs', schema: platformBackupViewSchema } },
      errors: ['BACKUP_IN_PROGRESS'],
      handle: async (_request, { caller, requestId }) => {
        const job: PlatformBackupJob = {
          id: newId('platformBackup'),
          ...({ kind: 'manual', tier: 'manual', night: null } as const),
          requestedBy: caller.name,
          startedAt: now().toISOString(),
          requestId,
        };
        await platformBackupCommands.backUp(job);
        // Its workflow writes the same record: whoever asks for it right away finds it.
        const backup = runningRecord(job);
        await platformBackups.insert(backup);
        return { status: 202, data: platformBackupView(backup) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/platform/backups',
      summary: 'Backups of the platform, newest first',
      query: platformBackupsQuerySchema,
      responses: { 200: { description: 'A page of backups', schema: pageSchema(platformBackupViewSchema) } },
      handle: async ({ query: { cursor, limit } }) => {
        const { items, nextCursor } = await platformBackups.list({ cursor: cursor ?? null, limit });
        return { status: 200, data: { items: items.map(platformBackupView), nextCursor } };
      },
    }),
    defineRoute({
      ...found,
      method: 'get',
      path: '/platform/backups/:backupId',
      summary: 'One backup of the platform',
      responses: { 200: { description: 'The backup', schema: platformBackupViewSchema } },
      handle: async ({ params }) => {
        return { status: 200, data: platformBackupView(await requireBackup(platformBackups, params.backupId)) };
      },
    }),
    defineRoute({
      ...found,
      method: 'post',
      path: '/platform/backups/:backupId/cancel',
      summary: 'Cancel a backup of the platform that runs',
      responses: { 202: { description: 'It is told to end, and will be `failed`', schema: platformBackupViewSchema } },
      errors: ['BACKUP_NOT_FOUND', 'CONFLICT'],
      handle: async ({ params }) => {
        const backup = await requireBackup(platformBackups, params.backupId);
        if (await platformBackupCommands.cancel(backup.id)) return { status: 202, data: platformBackupView(backup) };
        throw new FairleadError('CONFLICT', `${backup.id} does not run any more`);
      },
    }),
  ];
}

async function requireBackup(records: PlatformBackupStore, id: string): Promise<PlatformBackup> {
  const backup = await records.find(id);
  if (backup !== null) return backup;
  throw new FairleadError(
    'BACKUP_NOT_FOUND',
    `There is no backup of the platform ${id}: \`fairlead platform backups\` lists them`,
  );
}
