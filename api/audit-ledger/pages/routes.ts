import { z } from 'zod';
import { daySchema } from '../../../domain/audit-ledger/anchoring-schema.ts';
import type { EventProof } from '../../../domain/audit-ledger/batch.ts';
import { endOfDay, startOfDay } from '../../../domain/audit-ledger/days.ts';
import type { LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import type { EventFilter } from '../../../domain/audit-ledger/ports.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import type { ErrorPage } from '../../http/error-handler.ts';
import { ERROR_STATUS } from '../../http/error-status.ts';
import { assetRoute } from '../../http/pages/assets.ts';
import { html } from '../../http/pages/html.ts';
import { PAGE_RESPONSES } from '../../http/pages/page-responses.ts';
import { sendPage } from '../../http/pages/send-page.ts';
import { proofOf } from '../anchoring-routes.ts';
import { readableOrg, requireEvent } from '../readable-events.ts';
import { anchorsPage } from './anchors-page.ts';
import { auditorPage } from './auditor-page.ts';
import type { AuditPagesDeps } from './deps.ts';
import { eventPage } from './event-page.ts';
import { LEDGER_BRAND, sendLedgerPage } from './layout.ts';
import { loginRoutes } from './login-routes.ts';
import { searchPage } from './search-page.ts';

const EVENTS_SHOWN = 50;

/** A field that was left empty is none. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

const searchSchema = z.strictObject({
  entityId: optional(z.string().trim().max(256)),
  eventType: optional(z.string().trim().max(128)),
  namespace: optional(z.string().trim().max(63)),
  from: optional(daySchema),
  to: optional(daySchema),
  cursor: optional(z.string().max(500)),
});

const NOTHING = z.strictObject({});

/** The pages for auditors: people sign in at the identity provider and read what the API would show them. */
export function auditPageRoutes(deps: AuditPagesDeps): readonly Route[] {
  return [...loginRoutes(deps), assetRoute, searchRoute(deps), eventRoute(deps), anchorsRoute(deps), signedOutRoute];
}

function searchRoute(deps: AuditPagesDeps): Route {
  return auditorPage(deps, {
    path: '/audit',
    summary: 'A page that searches events',
    params: NOTHING,
    query: searchSchema,
    show: async ({ query: { cursor = null, ...search } }, caller) => {
      const orgSlug = readableOrg(caller);
      const found = await deps.store.list(filterOf(search, orgSlug), { cursor, limit: EVENTS_SHOWN });
      return searchPage(search, found, orgSlug);
    },
  });
}

function filterOf(search: Omit<z.output<typeof searchSchema>, 'cursor'>, orgSlug: string | null): EventFilter {
  const { entityId, eventType, namespace, from, to } = search;
  return {
    orgSlug,
    ...(entityId === undefined ? {} : { entityId }),
    ...(eventType === undefined ? {} : { eventType }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(from === undefined ? {} : { from: startOfDay(from) }),
    ...(to === undefined ? {} : { to: endOfDay(to) }),
  };
}

function eventRoute(deps: AuditPagesDeps): Route {
  return auditorPage(deps, {
    path: '/audit/events/:id',
    summary: 'A page of one event, with its proof drawn as a path',
    params: z.strictObject({ id: z.string().max(100) }),
    query: NOTHING,
    errors: ['EVENT_NOT_FOUND'],
    show: async ({ params }, caller) => {
      const event = await requireEvent(deps.store, caller, params.id);
      return eventPage(event, await proofWhenBatched(deps, event));
    },
  });
}

async function proofWhenBatched(deps: AuditPagesDeps, event: LedgerEvent): Promise<EventProof | null> {
  try {
    return await proofOf(deps, event);
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'NOT_BATCHED') return null;
    throw error;
  }
}

function anchorsRoute(deps: AuditPagesDeps): Route {
  return auditorPage(deps, {
    path: '/audit/anchors',
    summary: 'A page of every night on every chain, what was missed in red',
    params: NOTHING,
    query: NOTHING,
    show: () => anchorsPage(deps, deps.now()),
  });
}

const signedOutRoute: Route = defineRoute({
  method: 'get',
  tag: 'pages',
  callers: 'public',
  replies: 'page',
  responses: PAGE_RESPONSES,
  path: '/audit/signed-out',
  summary: 'A page that says that this browser is signed out here',
  handle: async () =>
    sendPage({
      title: 'Signed out',
      brand: LEDGER_BRAND,
      body: html`<p>This browser is signed out of the audit ledger. The login at the identity provider goes on.</p>
<p><a href="/audit">Sign in again</a></p>`,
    }),
});

/** The page of an error of these pages. */
export const auditErrorPage: ErrorPage = async (error, _request, response) => {
  const requestId = String(response.locals.requestId ?? '');
  const body = html`<p role="alert">${error.message}.</p><p class="quiet">Number of this request: <code>${requestId}</code></p>`;
  const title = error.code === 'EVENT_NOT_FOUND' ? 'Not found' : 'This did not work';
  const reply = sendLedgerPage(title, body, ERROR_STATUS[error.code]);
  if (typeof reply === 'function') await reply(response);
};
