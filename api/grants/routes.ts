import { z } from 'zod';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { isDatabaseScope } from '../../domain/databases/consumer.ts';
import { FairleadError } from '../../domain/errors.ts';
import { GRANT_DECISIONS, type Grant, type GrantDecision, partyOf } from '../../domain/grants/grant.ts';
import {
  grantDecisionSchema,
  grantRequestSchema,
  grantsQueryShape,
  grantView,
  grantViewSchema,
} from '../../domain/grants/grant-schema.ts';
import type { GrantCommands, GrantStore } from '../../domain/grants/ports.ts';
import { dependencyScopes, hasScopesOf } from '../../domain/oauth-clients/derive-client.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import { mayUse, requireService, visibleOrg } from '../catalog/access.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import type { AllowedCallers } from '../http/allowed-callers.ts';
import { PLATFORM } from '../http/allowed-callers.ts';
import { type Caller, isPlatform } from '../http/caller.ts';
import { defineRoute, type Route, type RouteContext } from '../http/define-route.ts';

export interface GrantsDeps {
  readonly services: ServiceStore;
  readonly grants: GrantStore;
  readonly grantCommands: GrantCommands;
}

const tag = 'grants';
const id = z.string().min(1).max(64);

/** An admin of the org that owns the target service, and the platform's own. No service decides for people. */
const DECIDERS = {
  internal: PLATFORM.internal,
  'platform-admin': true,
  user: 'admin',
} as const satisfies AllowedCallers;

const DONE: Readonly<Record<GrantDecision, string>> = {
  approve: 'The scopes are given; the next deploy goes on',
  deny: 'It is denied, and no deploy asks again',
  revoke: 'The scopes are taken; the next token lacks them',
};

/** Scopes of services of other orgs: who asks, and who decides (spec 2, "Scope grant states"; the paths are ours). */
export function grantsRoutes(deps: GrantsDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/grants',
      summary: 'Grants that services of the org ask for, or are asked for, newest request first',
      tag,
      callers: BUILDER_CALLERS.viewer,
      query: z.strictObject({ ...pageQueryShape, ...grantsQueryShape }),
      responses: { 200: { description: 'A page of grants', schema: pageSchema(grantViewSchema) } },
      handle: async ({ query: { cursor, limit, status } }, { caller }) => {
        const filter = { org: visibleOrg(caller), ...(status === undefined ? {} : { status }) };
        const page = await deps.grants.list(filter, { cursor: cursor ?? null, limit });
        return { status: 200, data: { items: page.items.map(grantView), nextCursor: page.nextCursor } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/grants/:id',
      summary: 'One grant',
      tag,
      callers: BUILDER_CALLERS.viewer,
      params: z.strictObject({ id }),
      responses: { 200: { description: 'The grant', schema: grantViewSchema } },
      errors: ['NOT_FOUND'],
      resource: async ({ params }, { caller }) => (await requireVisible(deps, caller, params.id)).grant,
      handle: async ({ resource: grant }) => ({ status: 200, data: grantView(grant) }),
    }),
    defineRoute({
      method: 'post',
      path: '/services/:id/grants',
      summary: 'Ask for scopes of a service of another org',
      description: 'As a deploy does by its catalog. What was revoked can be asked for anew, with another list.',
      tag,
      callers: BUILDER_CALLERS.member,
      params: z.strictObject({ id }),
      body: grantRequestSchema,
      responses: {
        202: { description: 'It waits for the other org, or is approved already', schema: grantViewSchema },
      },
      errors: ['SERVICE_NOT_FOUND', 'CONFLICT', 'NOT_FOUND'],
      resource: ({ params }, { caller }) => requireService(deps.services, caller, params.id),
      handle: async ({ body, resource: holder }, { caller, requestId }) => {
        const target = await requireTarget(deps, body.service, holder);
        const ofDatabases = body.scopes.filter(isDatabaseScope);
        const ofTokens = body.scopes.filter((scope) => !isDatabaseScope(scope));
        const { scopes, refused } = dependencyScopes({ service: target.name, scopes: ofTokens });
        const [bad] = refused;
        if (bad !== undefined) {
          const message = `scopes: ${bad} is not a scope of ${target.name}`;
          throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'scopes', message }] });
        }
        const key = { holder: partyOf(holder), environment: body.environment, target: partyOf(target) };
        const request = { scopes: [...scopes, ...ofDatabases], by: caller.name, as: 'person', requestId } as const;
        return { status: 202, data: await deps.grantCommands.request(key, request) };
      },
    }),
    ...GRANT_DECISIONS.map((decision) =>
      defineRoute({
        method: 'post',
        path: `/grants/:id/${decision}`,
        summary: `${decision[0]?.toUpperCase()}${decision.slice(1)} a grant`,
        tag,
        callers: DECIDERS,
        params: z.strictObject({ id }),
        body: grantDecisionSchema,
        responses: { 200: { description: DONE[decision], schema: grantViewSchema } },
        errors: ['NOT_FOUND', 'CONFLICT', 'FORBIDDEN'],
        resource: ({ params }, context) => requireDecidable(deps, context, params.id),
        handle: async ({ body: { revision }, resource: grant }, { caller, requestId }) => {
          // Always of one revision: a worker that was paused must not decide about what came after.
          const transition = { decision, by: caller.name, revision: revision ?? grant.revision, requestId };
          return { status: 200, data: await deps.grantCommands.decide(grant, transition) };
        },
      }),
    ),
  ];
}

/** A service whose scopes are its org's to give. Names of services are public, as their addresses are. */
async function requireTarget({ services }: GrantsDeps, name: string, holder: ServiceRecord): Promise<ServiceRecord> {
  const target = await services.find(name);
  if (target === null || target.name !== name || target.removingSince !== null) {
    throw new FairleadError('NOT_FOUND', `There is no service ${name}`);
  }
  if (hasScopesOf(target, holder.org)) {
    const message = `${holder.name} needs no grant for ${name}: declare it in spec.dependencies`;
    throw new FairleadError('CONFLICT', message);
  }
  return target;
}

/**
 * A grant that services of the caller's org ask for, or are asked for; by who owns the services now.
 * @throws NOT_FOUND also for one that is not the caller's to see
 */
async function requireVisible({ grants, services }: GrantsDeps, caller: Caller, grantId: string) {
  const grant = await grants.find(grantId);
  const [holder, target] =
    grant === null
      ? []
      : await Promise.all([services.find(grant.holder.serviceId), services.find(grant.target.serviceId)]);
  const isVisible = [holder, target].some((service) => service != null && mayUse(caller, service));
  if (grant === null || !(isVisible || isPlatform(caller))) {
    throw new FairleadError(
      'NOT_FOUND',
      `There is no grant ${grantId}: \`fairlead grants list\` shows those of your org`,
    );
  }
  return { grant, owner: target?.org ?? grant.target.org };
}

/** @throws NOT_FOUND as `requireVisible`; FORBIDDEN for who sees the grant and is not of the org that decides */
async function requireDecidable(deps: GrantsDeps, { caller }: RouteContext<Caller>, grantId: string): Promise<Grant> {
  const { grant, owner } = await requireVisible(deps, caller, grantId);
  if (isPlatform(caller) || caller.org === owner) return grant;
  throw new FairleadError('FORBIDDEN', `Only admins of ${owner} decide about scopes of ${grant.target.name}`);
}
