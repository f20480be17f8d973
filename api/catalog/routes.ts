import { z } from 'zod';
import { busyDatabase } from '../../domain/backups/busy.ts';
import type { BackupCommands } from '../../domain/backups/messages.ts';
import type { RestoreStore } from '../../domain/backups/ports.ts';
import { findRunningRestore } from '../../domain/backups/running-restore.ts';
import { catalogJsonSchema } from '../../domain/catalog/catalog-json-schema.ts';
import {
  type deployedEnvironmentSchema,
  putServiceBodySchema,
  serviceDetailSchema,
  serviceViewSchema,
} from '../../domain/catalog/service-schema.ts';
import type { BuildStore } from '../../domain/deploys/build-store.ts';
import { type DeployCommands, serviceRemovalWorkflowId } from '../../domain/deploys/messages.ts';
import type { ReleaseStore } from '../../domain/deploys/release-store.ts';
import { listedReleaseSchema } from '../../domain/deploys/schema.ts';
import type { EdgeRouter } from '../../domain/deploys/workload-runtime.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import type { Caller } from '../http/caller.ts';
import { defineRoute, type Route, type RouteContext } from '../http/define-route.ts';
import { requireOwner, requireService, visibleOrg } from './access.ts';
import { type AuditChangeDeps, auditChange } from './audit-change.ts';
import { BUILDER_CALLERS } from './builder-callers.ts';
import { leftElsewhere } from './left-elsewhere.ts';
import { type PutServiceDeps, putService } from './put-service.ts';
import { releasePage, releasesWithChanges } from './release-list.ts';
import { serviceView } from './service-view.ts';

export interface CatalogDeps extends PutServiceDeps, AuditChangeDeps {
  readonly builds: BuildStore;
  readonly releases: ReleaseStore;
  readonly commands: DeployCommands;
  readonly publicUrl: EdgeRouter['url'];
  readonly restores: Pick<RestoreStore, 'list'>;
  readonly backupCommands: Pick<BackupCommands, 'isUnderWay'>;
}

const tag = 'services';
const CATALOG_SCHEMA = catalogJsonSchema();
const serviceParams = z.strictObject({ id: z.string().min(1).max(64).describe('Id or name of the service') });
const removedSchema = z.object({
  id: z.string(),
  name: z.string(),
  warnings: z.array(z.string()).describe('What other systems go on knowing of it, and what to do there'),
});
const removingSchema = removedSchema.extend({
  removingSince: z.iso.datetime().nullable(),
  workflow: z.string().describe('Id of the Temporal workflow that removes it, and shows what it waits for'),
});

/** Services (spec 2, "Services and builds"; bodies are ours where the document does not show them). */
export function catalogRoutes(deps: CatalogDeps): readonly Route[] {
  const { services } = deps;
  const resource = ({ params }: { params: z.output<typeof serviceParams> }, { caller }: RouteContext<Caller>) =>
    requireService(services, caller, params.id);
  return [
    defineRoute({
      method: 'post',
      path: '/services',
      summary: 'Register a service, or change the one of that name',
      description: 'Absent fields keep what is stored; null clears. Variables take effect with the next deploy.',
      tag,
      callers: BUILDER_CALLERS.member,
      body: putServiceBodySchema,
      responses: {
        200: { description: 'The service existed and was changed', schema: serviceViewSchema },
        201: { description: 'The service was created', schema: serviceViewSchema },
      },
      errors: ['SERVICE_OWNER_MISMATCH', 'RESERVED_ENV_VAR', 'SOURCE_REFUSED'],
      handle: async ({ body }, context) => {
        const { service, created, changed } = await putService(deps, context.caller, body);
        const type = created ? 'service.registered' : 'service.changed';
        const names = { fields: changed, ...changedNames(body) };
        const isChanged = created || Object.values(names).some((each) => each.length > 0);
        if (isChanged) await auditChange(deps, context, service, { type, data: names });
        return { status: created ? 201 : 200, data: serviceView(service) };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/schemas/catalog.json',
      summary: 'JSON Schema of catalog-info.yaml, for editors',
      tag,
      callers: 'public',
      replies: 'bare',
      responses: { 200: { description: 'The schema', schema: z.looseObject({}) } },
      handle: async () => ({ status: 200, data: CATALOG_SCHEMA }),
    }),
    defineRoute({
      method: 'get',
      path: '/services',
      summary: 'Services by name',
      tag,
      callers: BUILDER_CALLERS.viewer,
      query: z.strictObject(pageQueryShape),
      responses: { 200: { description: 'A page of services', schema: pageSchema(serviceViewSchema) } },
      handle: async ({ query }, { caller }) => {
        const page = await services.list(
          { org: visibleOrg(caller) },
          { cursor: query.cursor ?? null, limit: query.limit },
        );
        return { status: 200, data: { items: page.items.map(serviceView), nextCursor: page.nextCursor } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/services/:id',
      summary: 'One service and what runs of it in each environment',
      tag,
      callers: BUILDER_CALLERS.viewer,
      params: serviceParams,
      responses: { 200: { description: 'The service', schema: serviceDetailSchema } },
      errors: ['SERVICE_NOT_FOUND'],
      resource,
      handle: async ({ resource: service }) => {
        const environments = await deployedEnvironments(deps, service.name);
        return { status: 200, data: { ...serviceView(service), environments } };
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/services/:id',
      summary: 'Remove a service: its workloads, routes, releases and record',
      description:
        'For its owner: the name is free afterwards, and who shares the service could take it and so become its owner. Its databases are kept ' +
        'for DATABASE_GRACE_DAYS: a service of that name in the same org gets them back with its next deploy.',
      tag,
      callers: BUILDER_CALLERS.admin,
      params: serviceParams,
      responses: {
        200: { description: 'The service is gone', schema: removedSchema },
        202: {
          description:
            'It is being removed, which takes longer, as while a part of the platform is away: it goes on by itself, nothing ' +
            'is deployed of it any more, and GET /services/:id answers 404 once it is gone',
          schema: removingSchema,
        },
      },
      errors: ['SERVICE_NOT_FOUND', 'SERVICE_BUSY', 'RESTORE_IN_PROGRESS', 'FORBIDDEN'],
      resource: async (input, context) => requireOwner(await resource(input, context), context.caller, 'remove it'),
      handle: async ({ resource: service }, context) => {
        const { id, name, org } = service;
        const open = await deps.builds.list({ serviceId: id, open: true }, { cursor: null, limit: 1 });
        const [build] = open.items;
        if (build !== undefined) {
          const message = `Build ${build.id} of ${name} has not ended; cancel it or wait, then delete the service`;
          throw new FairleadError('SERVICE_BUSY', message, { details: { buildId: build.id } });
        }
        const restore = await findRunningRestore(deps, id);
        if (restore !== null) {
          const startedAt = restore.startedAt.toISOString();
          throw busyDatabase(restore, { kind: 'restore', id: restore.id, startedAt });
        }
        const warnings = [...(await leftElsewhere(deps, service))];
        const outcome = await deps.commands.removeService({ id, name });
        const data = { serviceId: id, ...(warnings.length === 0 ? {} : { warnings }) };
        if (outcome === 'removed') {
          await auditChange(deps, context, { name, org }, { type: 'service.deleted', once: id, data });
          return { status: 200, data: { id, name, warnings } };
        }
        await auditChange(deps, context, { name, org }, { type: 'service.delete_requested', once: id, data });
        const removingSince = (await services.find(id))?.removingSince?.toISOString() ?? null;
        return { status: 202, data: { id, name, warnings, removingSince, workflow: serviceRemovalWorkflowId(name) } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/services/:id/releases',
      summary: 'Releases that served an environment, the one activated last first',
      tag,
      callers: BUILDER_CALLERS.viewer,
      params: serviceParams,
      query: z.strictObject({
        environment: environmentSchema.default('prod'),
        changes: z.enum(['true', 'false']).default('false').describe('Also what differs from one to the next'),
        ...pageQueryShape,
      }),
      responses: { 200: { description: 'A page of releases', schema: pageSchema(listedReleaseSchema) } },
      errors: ['SERVICE_NOT_FOUND'],
      resource,
      handle: async ({ query, resource: service }) => {
        const { environment, changes, cursor = null, limit } = query;
        const asked = { environment, request: { cursor, limit } };
        const list = changes === 'true' ? releasesWithChanges : releasePage;
        return { status: 200, data: await list(deps, service, asked) };
      },
    }),
  ];
}

/** Names of the variables that are set, and of those that are taken away by null. */
function changedNames({ config = {}, secrets = {} }: z.output<typeof putServiceBodySchema>) {
  const names = (variables: Readonly<Record<string, unknown>>, isKept: boolean): string[] =>
    Object.keys(variables).filter((name) => (variables[name] !== null) === isKept);
  const unset = [...names(config, false), ...names(secrets, false)];
  return { set: names(config, true), setSecret: names(secrets, true), unset };
}

async function deployedEnvironments(
  { releases, publicUrl }: CatalogDeps,
  service: string,
): Promise<z.input<typeof deployedEnvironmentSchema>[]> {
  const active = await Promise.all(ENVIRONMENTS.map((environment) => releases.active(service, environment)));
  return active.flatMap((release) => {
    if (release === null || release.activatedAt === null) return [];
    const { id: releaseId, environment, buildId, commitSha, activatedAt } = release;
    const url = publicUrl(service, environment);
    return [{ environment, url, releaseId, buildId, commitSha, activatedAt: activatedAt.toISOString() }];
  });
}
