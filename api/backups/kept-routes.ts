import { z } from 'zod';
import {
  dropKeptBodySchema,
  keptDatabaseSchema,
  keptDatabaseView,
  keptReplySchema,
} from '../../domain/backups/kept-database-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { auditChange } from '../catalog/audit-change.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { BackupsDeps } from './deps.ts';
import { dropEarly, listKept, requireKept } from './kept-databases.ts';

const tag = 'backups';

/** Databases that are kept before they are dropped: those that restores replaced, and those of removed services (ours, beside spec 2). */
export function keptRoutes(deps: BackupsDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/databases/kept',
      summary: 'Databases that are kept before they are dropped, the next to go first',
      description:
        'Those whose place a restored one took, and those of removed services, with how large they are. Of the org of the caller; for the platform, of all.',
      tag,
      callers: BUILDER_CALLERS.viewer,
      responses: { 200: { description: 'One row for each database', schema: keptReplySchema } },
      handle: async (_input, { caller }) => {
        return { status: 200, data: { databases: (await listKept(deps, caller)).map(keptDatabaseView) } };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/databases/kept/:id/drop',
      summary: 'Drop a kept database before its time, for good',
      description:
        'Of a removed service after a final backup, where the platform makes backups of its engine. One whose time has come is joined.',
      tag,
      callers: BUILDER_CALLERS.admin,
      params: z.strictObject({ id: z.string().min(1).max(200).describe('As the list says it') }),
      body: dropKeptBodySchema,
      responses: {
        200: { description: 'Of a dry run: what would be dropped', schema: keptDatabaseSchema },
        202: { description: 'It is being dropped', schema: keptDatabaseSchema },
      },
      errors: ['DATABASE_NOT_FOUND', 'CONFLICT', 'VALIDATION_FAILED', 'UNAVAILABLE'],
      resource: ({ params: { id } }, { caller }) => requireKept(deps, caller, id),
      handle: async ({ body: { confirm, dryRun }, resource: kept }, context) => {
        if (confirm !== kept.databaseName) {
          const message = `Type ${kept.databaseName} to drop it`;
          throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'confirm', message }] });
        }
        if (dryRun) return { status: 200, data: keptDatabaseView(kept) };
        const { caller, requestId } = context;
        const dropped = await dropEarly(deps, kept, { requestedBy: caller.name, requestId });
        const { engine, databaseName, environment, because, service, org } = kept;
        await auditChange(
          deps,
          context,
          { name: service ?? databaseName, org: org ?? '' },
          {
            type: 'service.kept_database_drop_requested',
            data: { engine, databaseName, environment, because },
          },
        );
        return { status: 202, data: keptDatabaseView(dropped) };
      },
    }),
  ];
}
