import type { z } from 'zod';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { isHeld } from '../../domain/custom-domains/custom-domain.ts';
import {
  addDomainBodySchema,
  domainModesSchema,
  domainParams,
  domainView,
  domainViewSchema,
  listDomainsQuerySchema,
  removedDomainSchema,
} from '../../domain/custom-domains/domain-schema.ts';
import type { AddDomain } from '../../domain/custom-domains/messages.ts';
import type { DomainFilter } from '../../domain/custom-domains/ports.ts';
import { modeOffers } from '../../domain/custom-domains/settings.ts';
import { eachItem } from '../../domain/each-item.ts';
import { FairleadError } from '../../domain/errors.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { requireService, visibleOrg } from '../catalog/access.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import { type Caller, isAdministrator, isPlatform } from '../http/caller.ts';
import { defineRoute, type Route, type RouteContext } from '../http/define-route.ts';
import { createAddLimits } from './add-limits.ts';
import type { CustomDomainsDeps } from './deps.ts';
import { requireDomain, requireName } from './domain-access.ts';

const tag = 'domains';
/** Each locks the name for a moment, whosever it is. */
const ADDS_PER_MINUTE = 60;

/**
 * Custom domains (spec 2, "Custom domains"). The document shows no paths of list, verify and remove: they are ours, and so
 * is `verify` in every mode.
 */
export function customDomainsRoutes(deps: CustomDomainsDeps): readonly Route[] {
  return [addRoute(deps), ...readingRoutes(deps), ...changingRoutes(deps)];
}

function addRoute(deps: CustomDomainsDeps): Route {
  const limits = createAddLimits(deps);
  return defineRoute({
    method: 'post',
    path: '/domains/add',
    summary: 'Lead a name of your own to a service',
    description:
      'It is looked at by itself until it is served, for 30 days. The same name again is no error. A name that another service has answers DOMAIN_TAKEN, whoever has it; who publishes the proof of the answer and adds it again takes it from who has not. A name that an org adds which shares the service goes with it.',
    tag,
    callers: BUILDER_CALLERS.member,
    rateLimit: { perMinute: ADDS_PER_MINUTE },
    body: addDomainBodySchema,
    responses: { 200: { description: 'The name, with the records to set', schema: domainViewSchema } },
    errors: [
      ...(['SERVICE_NOT_FOUND', 'DOMAIN_TAKEN', 'DNS_RECORD_EXISTS', 'CONFLICT', 'EXTERNAL_APEX_UNSUPPORTED'] as const),
      ...([
        'SAAS_UNAVAILABLE',
        'DIRECT_MODE_UNAVAILABLE',
        'DNS_PROVIDER_REFUSED',
        'RATE_LIMITED',
        'UNAVAILABLE',
      ] as const),
    ],
    resource: ({ body }, { caller }) => requireService(deps.services, caller, body.service),
    handle: async ({ body, resource: service }, { caller, requestId }) => {
      const { domain, apex } = requireName(deps, body.domain);
      if (!isPlatform(caller)) limits.requireShare(caller.org);
      const { environment, mode, overwriteExistingRecord: overwrite, canonical = null, hsts = null } = body;
      const request: AddDomain = {
        ...{ id: deps.newId('domain'), domain, apex, environment, mode, overwrite, canonical, hsts },
        ...{ serviceId: service.id, service: service.name, org: service.org, addedBy: caller.name, requestId },
        ...claimantOf(caller, service),
        byAdministrator: isAdministrator(caller),
      };
      await limits.requireChance(request);
      await deps.domainCommands.add(request);
      return { status: 200, data: await viewNow(deps, domain, service.id) };
    },
  });
}

/** The org for which a name is added: when one that shares the service is taken out, the name goes with it. */
function claimantOf(caller: Caller, service: ServiceRecord): Pick<AddDomain, 'claimant' | 'sharingRevision'> {
  if (isPlatform(caller) || caller.org === service.org) return { claimant: service.org, sharingRevision: null };
  return { claimant: caller.org, sharingRevision: service.sharing.revision };
}

/** What every route of one name has: others' names are not there. */
function ofOneName(deps: CustomDomainsDeps) {
  return {
    ...{ tag, params: domainParams },
    resource: (
      { params }: { readonly params: z.output<typeof domainParams> },
      { caller }: Pick<RouteContext<Caller>, 'caller'>,
    ) => requireDomain(deps, caller, params.domain),
  };
}

function readingRoutes(deps: CustomDomainsDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/domains',
      summary: 'Names of services, by name',
      tag,
      callers: BUILDER_CALLERS.viewer,
      query: listDomainsQuerySchema,
      responses: { 200: { description: 'A page of names', schema: pageSchema(domainViewSchema) } },
      errors: ['SERVICE_NOT_FOUND'],
      handle: async ({ query }, { caller }) => {
        const filter = await filterOf(deps, query, caller);
        const { items, nextCursor } = await deps.domains.list(filter, {
          cursor: query.cursor ?? null,
          limit: query.limit,
        });
        return { status: 200, data: { items: items.map(domainView), nextCursor } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/domains/modes',
      summary: 'In which modes names can be added here',
      tag,
      callers: BUILDER_CALLERS.viewer,
      responses: {
        200: { description: 'Each mode, with what keeps it from being offered', schema: domainModesSchema },
      },
      handle: async () => {
        const { writesRecords, ...settings } = deps.domainModes;
        return { status: 200, data: { modes: [...modeOffers(settings)], writesRecords } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/domains/:domain',
      summary: 'How a name was when it was seen last',
      description: 'Nobody is asked: `/status` looks at it first.',
      ...ofOneName(deps),
      callers: BUILDER_CALLERS.viewer,
      responses: { 200: { description: 'The name', schema: domainViewSchema } },
      errors: ['DOMAIN_NOT_FOUND'],
      handle: async ({ resource }) => ({ status: 200, data: domainView(resource) }),
    }),
    defineRoute({
      method: 'get',
      path: '/domains/:domain/status',
      summary: 'How a name is now',
      description:
        'It is looked at before the answer. While a vendor or the worker is away, what was seen last is told, with its `observedAt`.',
      ...ofOneName(deps),
      callers: BUILDER_CALLERS.viewer,
      responses: { 200: { description: 'The name', schema: domainViewSchema } },
      errors: ['DOMAIN_NOT_FOUND'],
      handle: async ({ resource: { domain, holder } }, { caller, requestId }) => {
        const of = { domain, serviceId: holder.serviceId, by: caller.name, requestId };
        if (!isFresh(holder.observedAt, deps.now())) await lookIfReached(deps, of);
        return { status: 200, data: await viewNow(deps, domain, holder.serviceId) };
      },
    }),
  ];
}

function changingRoutes(deps: CustomDomainsDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/domains/:domain/verify',
      summary: 'Look at a name now, and lead it to its service once more',
      description:
        'A name that has failed begins anew; a record that the platform wrote and that is gone is written again.',
      ...ofOneName(deps),
      callers: BUILDER_CALLERS.member,
      responses: { 200: { description: 'The name after the look', schema: domainViewSchema } },
      errors: ['DOMAIN_NOT_FOUND', 'UNAVAILABLE'],
      handle: async ({ resource: { domain, holder } }, { caller, requestId }) => {
        await deps.domainCommands.verify({ domain, serviceId: holder.serviceId, by: caller.name, requestId });
        return { status: 200, data: await viewNow(deps, domain, holder.serviceId) };
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/domains/:domain',
      summary: 'Take a name away from its service',
      description:
        'Its route, its certificate, the callback that was added for it and the record that the platform wrote go. Other services get the name within 90 days only with a proof that it is theirs.',
      ...ofOneName(deps),
      callers: BUILDER_CALLERS.member,
      responses: {
        200: { description: 'It is removed', schema: removedDomainSchema },
        202: { description: 'It is being removed, and goes on by itself', schema: removedDomainSchema },
      },
      errors: ['DOMAIN_NOT_FOUND', 'UNAVAILABLE'],
      handle: async ({ resource: { domain, holder } }, { caller, requestId }) => {
        const of = { domain, serviceId: holder.serviceId, by: caller.name, requestId };
        const state = await deps.domainCommands.remove(of);
        return { status: state === 'removed' ? 200 : 202, data: { domain, state } };
      },
    }),
  ];
}

/** What was seen a moment ago is told again: who polls asks no DNS server more often. */
const FRESH_MS = 5_000;

function isFresh(observedAt: Date | null, now: Date): boolean {
  return observedAt !== null && now.getTime() - observedAt.getTime() < FRESH_MS;
}

async function viewNow({ domains }: CustomDomainsDeps, domain: string, serviceId: string) {
  const record = await domains.find(domain);
  if (isHeld(record) && record.holder.serviceId === serviceId) return domainView(record);
  throw new FairleadError('DOMAIN_NOT_FOUND', `${domain} was removed meanwhile`);
}

/** What was seen last is told where nobody looks now. */
async function lookIfReached(
  { domainCommands }: CustomDomainsDeps,
  of: Parameters<CustomDomainsDeps['domainCommands']['look']>[0],
) {
  try {
    await domainCommands.look(of);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'UNAVAILABLE') throw error;
  }
}

/** Of one service, or of all that the caller may use. */
async function filterOf(
  { services }: CustomDomainsDeps,
  { service, environment }: z.output<typeof listDomainsQuerySchema>,
  caller: Caller,
): Promise<DomainFilter> {
  const where = environment === undefined ? {} : { environment };
  if (service !== undefined) return { serviceIds: [(await requireService(services, caller, service)).id], ...where };
  const org = visibleOrg(caller);
  if (org === null) return where;
  const serviceIds: string[] = [];
  for await (const { id } of eachItem((page) => services.list({ org }, page))) serviceIds.push(id);
  return { serviceIds, ...where };
}
