import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { changeProperty } from '../../domain/properties/change-property.ts';
import { changedProperty, type Property } from '../../domain/properties/property.ts';
import {
  domainSchema,
  ignoreBodySchema,
  ownerBodySchema,
  ownersSchema,
  propertySchema,
  propertyView,
  syncSummarySchema,
} from '../../domain/properties/schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { PropertiesDeps } from './deps.ts';
import { recordChange } from './record-change.ts';
import { requireProperty } from './require-property.ts';
import { actorOf, SYNCERS } from './site-callers.ts';

const tag = 'properties';
const params = z.strictObject({ domain: domainSchema });

/** What people and services change of Properties by hand. */
export function changeRoutes(deps: PropertiesDeps): readonly Route[] {
  return [syncRoute(deps), ignoreRoute(deps), ownersRoute(deps)];
}

function syncRoute({ commands }: PropertiesDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/api/properties/sync-from-map',
    summary: 'Makes the Properties what the domain map says, now',
    description: 'It runs daily as well. A map that cannot be read, or has no domain, changes nothing.',
    tag,
    ...SYNCERS,
    responses: { 200: { description: 'What was done', schema: syncSummarySchema } },
    errors: ['SYNC_IN_PROGRESS', 'DOMAIN_MAP_UNREADABLE'],
    handle: async () => ({ status: 200, data: await commands.sync() }),
  });
}

function ignoreRoute(deps: PropertiesDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/api/properties/:domain/ignore',
    summary: 'Ignores a Property, or no longer',
    description:
      "An ignored Property is neither verified nor pulled; a run that verifies it ends. The domain map does not take back a person's word.",
    tag,
    ...SYNCERS,
    params,
    body: ignoreBodySchema,
    responses: { 200: { description: 'The Property', schema: propertySchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    resource: (input) => requireProperty(deps, input.params.domain),
    handle: async ({ resource: { domain }, body }, context) => {
      const done = body.ignored ? 'ignored' : 'unignored';
      const data = { reason: body.reason ?? null };
      await recordChange(deps, context, { type: `webmaster.property.${done}`, subject: domain, data });
      const saying = { ignored: body.ignored, reason: data.reason, actor: actorOf(context.caller) };
      const change = (one: Property) => withIgnored(one, { ...saying, at: deps.now() });
      const changed = await changeProperty(deps.properties, domain, change);
      if (body.ignored) await deps.commands.tellIgnored(domain);
      return { status: 200, data: propertyView(changed ?? (await requireProperty(deps, domain))) };
    },
  });
}

interface Saying {
  readonly ignored: boolean;
  readonly reason: string | null;
  readonly actor: string;
  readonly at: Date;
}

function withIgnored(property: Property, { ignored, reason, actor, at }: Saying): Property | null {
  if (!ignored && property.ignored === null) return null;
  if (ignored && property.ignored?.by === 'person') return null;
  const next = ignored ? ({ by: 'person', actor, reason, at } as const) : null;
  return changedProperty(
    property,
    { ignored: next, unignoredAt: ignored ? null : at },
    { at, event: ignored ? 'ignored' : 'unignored', detail: reason },
  );
}

function ownersRoute(deps: PropertiesDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/api/properties/:domain/owners',
    summary: 'Makes somebody a verified owner at the search engine',
    description: 'Idempotent. GOOGLE_PERMISSION before the domain is verified.',
    tag,
    ...SYNCERS,
    params,
    body: ownerBodySchema,
    responses: { 200: { description: 'The owners', schema: ownersSchema } },
    errors: ['NOT_FOUND', 'CONFLICT', 'GOOGLE_PERMISSION', 'GOOGLE_REFUSED', 'GOOGLE_NOT_CONFIGURED'],
    resource: (input) => requireProperty(deps, input.params.domain),
    handle: async ({ resource: { domain, verification }, body: { email } }, context) => {
      if (verification.state !== 'verified') {
        throw new FairleadError('GOOGLE_PERMISSION', `${domain} is not verified: only then has it owners`);
      }
      // Without the address: what the ledger has cannot be taken back.
      await recordChange(deps, context, { type: 'webmaster.owner.added', subject: domain, data: {} });
      const { owners } = await deps.commands.addOwner(domain, email);
      return { status: 200, data: { domain, owners: [...owners] } };
    },
  });
}
