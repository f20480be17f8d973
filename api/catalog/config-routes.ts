import { z } from 'zod';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import {
  changeConfigBodySchema,
  configChangedSchema,
  configHistoryEntrySchema,
  configValuesSchema,
  configViewSchema,
} from '../../domain/config/config-schema.ts';
import { openVariables, variablesIn } from '../../domain/config/service-variables.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import { ADMINISTRATORS, type AllowedCallers } from '../http/allowed-callers.ts';
import type { Caller } from '../http/caller.ts';
import { defineRoute, type Route, type RouteContext } from '../http/define-route.ts';
import { requireService } from './access.ts';
import { type AuditChangeDeps, auditChange } from './audit-change.ts';
import { BUILDER_CALLERS } from './builder-callers.ts';
import { type ChangeConfigDeps, changeConfig } from './change-config.ts';
import { declaredVariables, type PendingDeps, pendingChanges, variableViews } from './config-view.ts';
import { IMPORT_ERRORS } from './import-secrets.ts';

export type ConfigDeps = ChangeConfigDeps & PendingDeps & AuditChangeDeps;

const tag = 'config';
const params = z.strictObject({ id: z.string().min(1).max(64).describe('Id or name of the service') });

/** Values in clear are for people who may deploy the service, and for who holds the platform's key. */
const VALUE_READERS = { ...ADMINISTRATORS, user: 'member' } as const satisfies AllowedCallers;

/** Variables and secrets of a service (spec 2, "Configuration variables and secrets"; the paths are ours). */
export function configRoutes(deps: ConfigDeps): readonly Route[] {
  const resource = (input: { params: z.output<typeof params> }, { caller }: RouteContext<Caller>) =>
    requireService(deps.services, caller, input.params.id);
  return [
    defineRoute({
      method: 'get',
      path: '/services/:id/config',
      summary: 'Variables of a service, secrets by name only, and what a deploy would change',
      tag,
      callers: BUILDER_CALLERS.viewer,
      params,
      responses: { 200: { description: 'The variables', schema: configViewSchema } },
      errors: ['SERVICE_NOT_FOUND'],
      resource,
      handle: async ({ resource: service }) => {
        const [declared, pending] = [await declaredVariables(deps, service), await pendingChanges(deps, service)];
        return { status: 200, data: { declared, variables: variableViews(service), pending } };
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/services/:id/config',
      summary: 'Set and remove variables of a service',
      description:
        'All of them or none. They take effect with the next deploy; what runs keeps its values. A handle or alias is resolved once, for the org that owns the service: the stored copy does not follow its source.',
      tag,
      callers: BUILDER_CALLERS.member,
      params,
      body: changeConfigBodySchema,
      responses: { 200: { description: 'They are stored', schema: configChangedSchema } },
      errors: ['SERVICE_NOT_FOUND', 'SERVICE_BUSY', 'RESERVED_ENV_VAR', ...IMPORT_ERRORS],
      resource,
      handle: async ({ body, resource: service }, context) => {
        const { imported, ...data } = await changeConfig(deps, service, { body, changedBy: context.caller.name });
        const { changeId, environment, unset } = data;
        const names = {
          environment,
          set: Object.keys(body.set),
          setSecret: Object.keys(body.secrets),
          unset,
          imported,
        };
        const change = { type: 'service.config_changed', once: changeId, data: { changeId, ...names } } as const;
        await auditChange(deps, context, service, change);
        return { status: 200, data };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/services/:id/config/values',
      summary: 'Values that a deploy to an environment would be given, secrets in clear',
      description:
        'For development on the machine of somebody who may deploy the service. No token of a service reads it.',
      tag,
      callers: VALUE_READERS,
      params,
      query: z.strictObject({ environment: environmentSchema.default('prod') }),
      responses: { 200: { description: 'The values', schema: configValuesSchema } },
      errors: ['SERVICE_NOT_FOUND'],
      resource,
      handle: async ({ query: { environment }, resource: service }, context) => {
        const { caller, log } = context;
        log.info({ service: service.name, environment, caller: caller.name }, 'variables read in clear');
        const variables = valuesOf(deps, service, environment);
        // Before the reply: no value leaves untold.
        const names = Object.keys(variables);
        await auditChange(deps, context, service, { type: 'service.config_read', data: { environment, names } });
        return { status: 200, data: { environment, variables } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/services/:id/config/history',
      summary: 'Who changed which variables of a service, newest first',
      tag,
      callers: BUILDER_CALLERS.viewer,
      params,
      query: z.strictObject(pageQueryShape),
      responses: { 200: { description: 'A page of changes', schema: pageSchema(configHistoryEntrySchema) } },
      errors: ['SERVICE_NOT_FOUND'],
      resource,
      handle: async ({ query, resource: { id } }) => {
        const page = await deps.history.list(id, { cursor: query.cursor ?? null, limit: query.limit });
        const items = page.items.map(({ serviceId: _, at, set, setSecret, unset, ...entry }) => ({
          ...entry,
          at: at.toISOString(),
          ...{ set: [...set], setSecret: [...setSecret], unset: [...unset] },
        }));
        return { status: 200, data: { items, nextCursor: page.nextCursor } };
      },
    }),
  ];
}

function valuesOf({ cipher }: ConfigDeps, service: ServiceRecord, environment: z.output<typeof environmentSchema>) {
  const target = { service: service.name, environment };
  const { config, secrets } = openVariables(cipher, target, variablesIn(service, environment));
  return { ...config, ...secrets };
}
