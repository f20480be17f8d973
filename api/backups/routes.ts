import { z } from 'zod';
import {
  backUpBodySchema,
  backUpQuerySchema,
  backupsQueryShape,
  backupView,
  backupViewSchema,
  downloadReplySchema,
  restoreBodySchema,
  restorePlanSchema,
  restoreView,
  restoreViewSchema,
} from '../../domain/backups/backup-schema.ts';
import { fileName } from '../../domain/backups/object-key.ts';
import type { BackupFilter } from '../../domain/backups/ports.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import { requireService } from '../catalog/access.ts';
import { auditChange } from '../catalog/audit-change.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import { ADMINISTRATORS } from '../http/allowed-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { requireArchive, requireBackup, requireEnvironment, requireRestore } from './backup-access.ts';
import type { BackupsDeps } from './deps.ts';
import { healthRoutes } from './health-routes.ts';
import { keptRoutes } from './kept-routes.ts';
import { awaitBackup, requireRestorable, startBackup, startRestore } from './start-backup.ts';

const tag = 'backups';
const NO_CREDENTIALS =
  'The builder has no keys to sign links with: set OBJECT_STORE_LINK_ACCESS_KEY and OBJECT_STORE_LINK_SECRET_KEY for it';
const id = z.string().min(1).max(64);
const ofService = z.strictObject({ id: id.describe('Id or name of the service') });
const ofBackup = ofService.extend({ backupId: id });
const ofRestore = ofService.extend({ restoreId: id });
const inEnvironment = z.strictObject({
  environment: environmentSchema.optional().describe('Refuses what is of another environment'),
});

/** Backups and restores of databases (spec 2, "Database backups"; cancelling, restores and health are ours). */
export function backupsRoutes(deps: BackupsDeps): readonly Route[] {
  return [
    ...makingRoutes(deps),
    ...readingRoutes(deps),
    ...restoreRoutes(deps),
    ...platformRoutes(deps),
    ...healthRoutes(deps),
    ...keptRoutes(deps),
  ];
}

function makingRoutes(deps: BackupsDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/services/:id/databases/backup',
      summary: 'Back up a database of a service',
      description: 'It goes on by itself: poll the backup until its status leaves `running`, or wait for it.',
      tag,
      callers: BUILDER_CALLERS.member,
      params: ofService,
      query: backUpQuerySchema,
      body: backUpBodySchema.prefault({}),
      responses: {
        200: { description: 'It has ended (with `wait`)', schema: backupViewSchema },
        202: { description: 'It runs', schema: backupViewSchema },
      },
      errors: [
        'SERVICE_NOT_FOUND',
        'DATABASE_NOT_FOUND',
        'BACKUP_IN_PROGRESS',
        'RESTORE_IN_PROGRESS',
        'BACKUPS_NOT_CONFIGURED',
      ],
      resource: ({ params }, { caller }) => requireService(deps.services, caller, params.id),
      handle: async ({ query, body, resource: service }, { caller, requestId, gone }) => {
        const started = await startBackup(deps, service, body, { requestedBy: caller.name, requestId });
        const isWaiting = body.wait || query.wait === 'true';
        const backup = isWaiting ? await awaitBackup(deps, started, gone) : started;
        return { status: backup.status === 'running' ? 202 : 200, data: backupView(backup) };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/services/:id/databases/backups/:backupId/cancel',
      summary: 'Cancel a backup that runs',
      tag,
      callers: BUILDER_CALLERS.member,
      params: ofBackup,
      query: inEnvironment,
      responses: { 202: { description: 'It is told to end, and will be `failed`', schema: backupViewSchema } },
      errors: ['SERVICE_NOT_FOUND', 'BACKUP_NOT_FOUND', 'CONFLICT'],
      resource: ({ params }, { caller }) => requireBackup(deps, caller, params),
      handle: async ({ query: { environment }, resource: { item: backup } }) => {
        requireEnvironment(backup, environment, 'CONFLICT');
        if (!(await deps.backupCommands.cancel(backup, backup.id))) throw notRunning(backup.id);
        return { status: 202, data: backupView(backup) };
      },
    }),
  ];
}

function readingRoutes(deps: BackupsDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/services/:id/databases/backups',
      summary: 'Backups of a service, newest first',
      description: 'Manual and automatic ones, also those that run, failed, or lost their archive to retention.',
      tag,
      callers: BUILDER_CALLERS.viewer,
      params: ofService,
      query: z.strictObject(backupsQueryShape),
      responses: { 200: { description: 'A page of backups', schema: pageSchema(backupViewSchema) } },
      errors: ['SERVICE_NOT_FOUND'],
      resource: ({ params }, { caller }) => requireService(deps.services, caller, params.id),
      handle: async ({ query, resource: service }) =>
        listBackups(deps, { serviceIds: await deps.serviceDatabases.recordedUnder([service.id]) }, query),
    }),
    defineRoute({
      method: 'get',
      path: '/services/:id/databases/backups/:backupId',
      summary: 'One backup',
      tag,
      callers: BUILDER_CALLERS.viewer,
      params: ofBackup,
      responses: { 200: { description: 'The backup', schema: backupViewSchema } },
      errors: ['SERVICE_NOT_FOUND', 'BACKUP_NOT_FOUND'],
      resource: ({ params }, { caller }) => requireBackup(deps, caller, params),
      handle: async ({ resource: { item } }) => ({ status: 200, data: backupView(item) }),
    }),
    defineRoute({
      method: 'get',
      path: '/services/:id/databases/backups/:backupId/download',
      summary: 'A link to download the archive',
      description:
        'A standard archive: of `pg_dump -Fc`, or of `mongodump --archive --gzip`. The ledger is told who asked.',
      tag,
      callers: BUILDER_CALLERS.member,
      params: ofBackup,
      query: inEnvironment,
      responses: { 200: { description: 'The link', schema: downloadReplySchema } },
      errors: ['SERVICE_NOT_FOUND', 'BACKUP_NOT_FOUND', 'NOT_RESTORABLE', 'BACKUPS_NOT_CONFIGURED'],
      resource: ({ params }, { caller }) => requireBackup(deps, caller, params),
      handle: async ({ query, resource: { service, item: backup } }, context) => {
        requireEnvironment(backup, query.environment, 'NOT_RESTORABLE');
        const { backupArchives, backupDownloadTtlSeconds: ttlSeconds, now } = deps;
        const key = requireArchive(backup);
        if (backupArchives === null) {
          throw new FairleadError('BACKUPS_NOT_CONFIGURED', NO_CREDENTIALS);
        }
        const name = fileName(key);
        const expiresAt = new Date(now().getTime() + ttlSeconds * 1000).toISOString();
        const url = await backupArchives.downloadUrl(key, { ttlSeconds, fileName: name });
        const { environment, engine, sizeBytes, sha256 } = backup;
        const data = { backupId: backup.id, environment, engine };
        await auditChange(deps, context, service, { type: 'service.backup_downloaded', data });
        return { status: 200, data: { url, expiresAt, fileName: name, sizeBytes, sha256 } };
      },
    }),
  ];
}

function restoreRoutes(deps: BackupsDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/services/:id/databases/restore',
      summary: 'Restore a backup into the database that it was made of',
      tag,
      callers: BUILDER_CALLERS.admin,
      params: ofService,
      body: restoreBodySchema,
      responses: {
        200: { description: 'Of a dry run: what would be restored, and over what', schema: restorePlanSchema },
        202: { description: 'It runs', schema: restoreViewSchema },
      },
      errors: [
        ...(['SERVICE_NOT_FOUND', 'BACKUP_NOT_FOUND', 'NOT_RESTORABLE', 'DATABASE_NOT_FOUND'] as const),
        ...(['BACKUP_IN_PROGRESS', 'RESTORE_IN_PROGRESS', 'BACKUPS_NOT_CONFIGURED'] as const),
      ],
      resource: ({ params, body: { backupId } }, { caller }) => requireBackup(deps, caller, { ...params, backupId }),
      handle: async ({ body: { mode, environment, dryRun }, resource }, { caller, requestId }) => {
        requireEnvironment(resource.item, environment, 'NOT_RESTORABLE');
        if (dryRun) {
          await requireRestorable(deps, resource);
          const { id: backupId, service, environment: where, engine, databaseName } = resource.item;
          return { status: 200, data: { backupId, service, environment: where, engine, databaseName, mode } };
        }
        const restore = await startRestore(deps, { ...resource, mode }, { requestedBy: caller.name, requestId });
        return { status: 202, data: restoreView(restore) };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/services/:id/databases/restores',
      summary: 'Restores of a service, newest first',
      tag,
      callers: BUILDER_CALLERS.viewer,
      params: ofService,
      query: z.strictObject(pageQueryShape),
      responses: { 200: { description: 'A page of restores', schema: pageSchema(restoreViewSchema) } },
      errors: ['SERVICE_NOT_FOUND'],
      resource: ({ params }, { caller }) => requireService(deps.services, caller, params.id),
      handle: async ({ query: { cursor, limit }, resource: service }) => {
        const under = await deps.serviceDatabases.recordedUnder([service.id]);
        const { items, nextCursor } = await deps.restores.list(under, { cursor: cursor ?? null, limit });
        return { status: 200, data: { items: items.map(restoreView), nextCursor } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/services/:id/databases/restores/:restoreId',
      summary: 'One restore',
      tag,
      callers: BUILDER_CALLERS.viewer,
      params: ofRestore,
      responses: { 200: { description: 'The restore', schema: restoreViewSchema } },
      errors: ['SERVICE_NOT_FOUND', 'RESTORE_NOT_FOUND'],
      resource: ({ params }, { caller }) => requireRestore(deps, caller, params),
      handle: async ({ resource: { item } }) => ({ status: 200, data: restoreView(item) }),
    }),
    defineRoute({
      method: 'post',
      path: '/services/:id/databases/restores/:restoreId/cancel',
      summary: 'Cancel a restore that runs',
      description: 'A swap that has begun is brought to its end; before it, the database stays as it is.',
      tag,
      callers: BUILDER_CALLERS.admin,
      params: ofRestore,
      query: inEnvironment,
      responses: { 202: { description: 'It is told to end', schema: restoreViewSchema } },
      errors: ['SERVICE_NOT_FOUND', 'RESTORE_NOT_FOUND', 'CONFLICT'],
      resource: ({ params }, { caller }) => requireRestore(deps, caller, params),
      handle: async ({ query: { environment }, resource: { item: restore } }) => {
        requireEnvironment(restore, environment, 'CONFLICT');
        if (!(await deps.backupCommands.cancel(restore, restore.id))) throw notRunning(restore.id);
        return { status: 202, data: restoreView(restore) };
      },
    }),
  ];
}

function platformRoutes(deps: BackupsDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/databases/backups',
      summary: 'Backups of all orgs, newest first',
      tag,
      callers: ADMINISTRATORS,
      query: z.strictObject(backupsQueryShape),
      responses: { 200: { description: 'A page of backups', schema: pageSchema(backupViewSchema) } },
      handle: async ({ query }) => listBackups(deps, {}, query),
    }),
  ];
}

const listQuery = z.strictObject(backupsQueryShape);

async function listBackups(
  { backups }: BackupsDeps,
  filter: BackupFilter,
  { cursor, limit, environment, type, status }: z.output<typeof listQuery>,
) {
  const asked: BackupFilter = {
    ...filter,
    ...(environment === undefined ? {} : { environment }),
    ...(type === undefined ? {} : { engine: type }),
    ...(status === undefined ? {} : { statuses: [status] }),
  };
  const { items, nextCursor } = await backups.list(asked, { cursor: cursor ?? null, limit });
  return { status: 200, data: { items: items.map(backupView), nextCursor } };
}

function notRunning(what: string): FairleadError {
  return new FairleadError('CONFLICT', `${what} does not run any more`);
}
