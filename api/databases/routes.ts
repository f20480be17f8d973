import { z } from 'zod';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import {
  consumerViews,
  databaseView,
  loginsReplySchema,
  rotateBodySchema,
  rotateReplySchema,
} from '../../domain/databases/database-schema.ts';
import type { DatabaseCommands, DatabaseRecords } from '../../domain/databases/ports.ts';
import type { DatabaseRecord } from '../../domain/databases/record.ts';
import { isBeingRotated } from '../../domain/databases/rotation.ts';
import { FairleadError } from '../../domain/errors.ts';
import { requireService } from '../catalog/access.ts';
import { type AuditChangeDeps, auditChange } from '../catalog/audit-change.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';

export interface DatabasesDeps extends AuditChangeDeps {
  readonly services: ServiceStore;
  readonly databaseRecords: Pick<DatabaseRecords, 'ofService' | 'consumersOf'>;
  readonly databaseCommands: Pick<DatabaseCommands, 'rotate' | 'isRotating'>;
}

const tag = 'databases';
const ofService = z.strictObject({ id: z.string().min(1).max(64).describe('Id or name of the service') });

/** Databases of services and their logins (ours: spec 2 names ROTATION_TTL_DAYS and no route). */
export function databasesRoutes(deps: DatabasesDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/services/:id/databases/logins',
      summary: 'Logins of the databases of a service, and how old they are',
      tag,
      callers: BUILDER_CALLERS.viewer,
      params: ofService,
      responses: { 200: { description: 'The logins, without their passwords', schema: loginsReplySchema } },
      errors: ['SERVICE_NOT_FOUND', 'UNAVAILABLE'],
      resource: ({ params }, { caller }) => requireService(deps.services, caller, params.id),
      handle: async ({ resource: service }) => {
        const records = await databasesOf(deps, service);
        const views = await Promise.all(
          records.map(async (record) => {
            const view = databaseView(record, await deps.databaseCommands.isRotating(record));
            return { view, consumes: record.consumes };
          }),
        );
        const databases = views.flatMap(({ view, consumes }) => (consumes === null ? [view] : []));
        const consumed = views.flatMap(({ view, consumes }) =>
          consumes === null ? [] : [{ ...view, of: consumes.service, access: consumes.access }],
        );
        const consumers = (await deps.databaseRecords.consumersOf(service.id)).filter(
          ({ state }) => state === 'active',
        );
        return { status: 200, data: { databases, consumed, consumers: consumers.flatMap(consumerViews) } };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/services/:id/databases/rotate',
      summary: 'Give a database a new login now',
      description:
        'The workload is replaced by one with the new login, beside which it serves until that one is healthy; then the old login ends. A rotation that runs is joined, and one that waits goes on: the reply says since when there is one, and what it waits for.',
      tag,
      callers: BUILDER_CALLERS.admin,
      params: ofService,
      body: rotateBodySchema.prefault({}),
      responses: {
        202: { description: 'It runs; the database as it was when that was asked for', schema: rotateReplySchema },
      },
      errors: ['SERVICE_NOT_FOUND', 'DATABASE_NOT_FOUND', 'VALIDATION_FAILED', 'UNAVAILABLE'],
      resource: ({ params }, { caller }) => requireService(deps.services, caller, params.id),
      handle: async ({ body, resource: service }, context) => {
        const record = await requireOne(deps, service, body);
        const { caller, requestId } = context;
        const isAtWork = await deps.databaseCommands.isRotating(record);
        const outcome = isAtWork ? 'joined' : isBeingRotated(record) ? 'continued' : 'begun';
        await deps.databaseCommands.rotate(record, { requestedBy: caller.name, requestId });
        const { engine, environment } = record;
        await auditChange(deps, context, service, {
          type: 'service.database_rotation_requested',
          data: { engine, environment },
        });
        return { status: 202, data: { ...databaseView(record, true), outcome } };
      },
    }),
  ];
}

async function databasesOf({ databaseRecords }: DatabasesDeps, { id }: ServiceRecord): Promise<DatabaseRecord[]> {
  return (await databaseRecords.ofService(id)).filter(({ state }) => state === 'active');
}

/** @throws DATABASE_NOT_FOUND; VALIDATION_FAILED where the engine must be named */
async function requireOne(
  deps: DatabasesDeps,
  service: ServiceRecord,
  { environment, type }: z.output<typeof rotateBodySchema>,
): Promise<DatabaseRecord> {
  const all = (await databasesOf(deps, service)).filter((record) => {
    return record.environment === environment && record.consumes === null;
  });
  const [record, other] = all.filter(({ engine }) => type === undefined || engine === type);
  if (record === undefined) {
    const what = type === undefined ? 'database' : `${type} database`;
    const remedy = 'declare it in spec.databases and deploy';
    throw new FairleadError('DATABASE_NOT_FOUND', `${service.name} has no ${what} in ${environment}: ${remedy}`);
  }
  if (other === undefined) return record;
  const message = `type: ${service.name} has several databases in ${environment}: ${all.map(({ engine }) => engine).join(', ')}`;
  throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'type', message }] });
}
