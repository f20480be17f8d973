import { z } from 'zod';
import { eventViewSchema } from '../../domain/audit-ledger/event-view-schema.ts';
import type { EventFilter } from '../../domain/audit-ledger/ports.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { LedgerDeps } from './deps.ts';
import { eventView } from './event-view.ts';
import { READERS } from './ledger-callers.ts';
import { readableOrg, requireEvent } from './readable-events.ts';

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

const moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const querySchema = z.strictObject({
  entityId: z.string().max(256).optional(),
  eventType: z.string().max(128).optional(),
  namespace: z.string().max(63).optional(),
  from: moment.optional().meta({ description: 'ISO 8601 with a zone; inclusive' }),
  to: moment.optional().meta({ description: 'ISO 8601 with a zone; exclusive' }),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, `must be a number from 1 to ${MAX_LIMIT}, as a string`)
    .refine((text) => Number(text) <= MAX_LIMIT, `must be at most ${MAX_LIMIT}`)
    .default(String(DEFAULT_LIMIT)),
  cursor: z.string().max(500).optional(),
});

/** The routes that read events. Services and people read those of their own org, the platform reads all. */
export function queryRoutes({ store }: Pick<LedgerDeps, 'store'>): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/events',
      summary: 'Events, newest first',
      tag: 'events',
      callers: READERS,
      query: querySchema,
      responses: {
        200: {
          description: 'A page of events',
          schema: z.object({ events: z.array(eventViewSchema), nextCursor: z.string().nullable() }),
        },
      },
      errors: ['ORG_CLAIM_MISSING'],
      handle: async ({ query }, { caller }) => {
        const { limit, cursor = null, ...conditions } = query;
        const filter: EventFilter = { orgSlug: readableOrg(caller), ...given(conditions) };
        const { items, nextCursor } = await store.list(filter, { cursor, limit: Number(limit) });
        return { status: 200, data: { events: items.map(eventView), nextCursor } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/events/:id',
      summary: 'One event',
      tag: 'events',
      callers: READERS,
      params: z.strictObject({ id: z.string() }),
      responses: { 200: { description: 'The event', schema: eventViewSchema } },
      errors: ['EVENT_NOT_FOUND', 'ORG_CLAIM_MISSING'],
      resource: ({ params }, { caller }) => requireEvent(store, caller, params.id),
      handle: async ({ resource: event }) => ({ status: 200, data: eventView(event) }),
    }),
  ];
}

/** Without the fields that were not given. */
function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
