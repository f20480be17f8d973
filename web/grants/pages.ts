import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { GRANT_DECISIONS, GRANT_STATUSES, type GrantDecision, type GrantStatus } from '../../domain/grants/grant.ts';
import { type GrantView, grantViewSchema } from '../../domain/grants/grant-schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { badge, type Tone } from '../look/badge.ts';
import { card, emptyState, pagination } from '../look/components.ts';
import { confirmForm, form } from '../look/forms.ts';
import { ago } from '../look/time.ts';
import { defineAction, definePage, type PageContext, type WebModule } from '../page.ts';
import { pathOf } from '../platform/platform.ts';

const PATH = '/grants';

const STATUSES: Readonly<Record<GrantStatus, readonly [Tone, string]>> = {
  pending: ['warn', 'Waits for a decision'],
  approved: ['good', 'Approved'],
  denied: ['bad', 'Denied'],
  revoked: ['quiet', 'Revoked'],
};

const FILTERS: Readonly<Record<GrantStatus, string>> = {
  pending: 'Waiting',
  approved: 'Approved',
  denied: 'Denied',
  revoked: 'Revoked',
};

/** Scopes that services ask of services of other orgs: who asks for what, and the decision. */
const grantsPage = definePage({
  module: 'grants',
  path: PATH,
  summary: 'Scopes that services of other orgs ask for, and that ours ask for',
  nav: { label: 'Grants', icon: 'key', group: 'work', order: 30 },
  query: z.object({ status: z.enum(GRANT_STATUSES).optional(), cursor: z.string().min(1).max(500).optional() }),
  load: ({ platform, query }) => platform.get('builder', PATH, pageSchema(grantViewSchema), { ...query, limit: 30 }),
  people: ({ items }) => ({ ids: items.flatMap(({ requestedBy, decidedBy }) => [requestedBy, decidedBy]) }),
  view: ({ items, nextCursor }, context) => {
    const { status } = context.query;
    const here = status === undefined ? PATH : `${PATH}?status=${status}`;
    const none = emptyState({
      ...{ icon: 'key', title: 'No grants here' },
      text: 'A service whose catalog asks for scopes of a service of another organisation waits here for its decision.',
    });
    return {
      title: 'Grants',
      lead: 'What services ask of services of other organisations. Admins of the organisation that is asked decide.',
      body: html`${statusFilter(status ?? null)}${items.length === 0 ? card({ title: 'Grants', flush: true }, none) : items.map((grant) => grantCard(grant, context))}${pagination(here, nextCursor)}`,
    };
  },
});

function statusFilter(current: GrantStatus | null): Html {
  const choices = [[null, 'All'] as const, ...GRANT_STATUSES.map((status) => [status, FILTERS[status]] as const)];
  return html`<nav class="filter" aria-label="Status">${choices.map(([status, label]) => html`<a href="${status === null ? PATH : `${PATH}?status=${status}`}"${status === current && html` aria-current="true"`}>${label}</a>`)}</nav>`;
}

function grantCard(grant: GrantView, context: PageContext): Html {
  const { holder, target, environment, scopes, granted, status, requestedBy, requestedAt, decidedBy, decidedAt } =
    grant;
  const now = context.now();
  return card(
    { title: `${holder.name} asks ${target.name}`, id: grant.id, beside: badge(...STATUSES[status]) },
    html`<p>The service <strong>${holder.name}</strong> of <strong>${holder.org}</strong> asks for scopes of <strong>${target.name}</strong> of <strong>${target.org}</strong> in ${environment}:</p>
<ul class="scopes">${scopes.map((scope) => html`<li><code>${scope}</code>${status === 'approved' && !granted.includes(scope) && html` <span class="quiet">not given</span>`}</li>`)}</ul>
<p class="small quiet">Asked ${ago(requestedAt, now)} by ${context.who(requestedBy)}${decidedAt !== null && html`; decided ${ago(decidedAt, now)} by ${context.who(decidedBy ?? '')}`}</p>
${mayDecide(grant, context) && decisions(grant, context)}`,
  );
}

/** The service decides who may; this leaves out what it would refuse. */
function mayDecide({ target }: GrantView, { person }: Pick<PageContext, 'person'>): boolean {
  return person.kind === 'platform-admin' || (person.role === 'admin' && person.org === target.org);
}

function decisions({ id, status, revision, holder, target, scopes }: GrantView, context: PageContext): Html {
  const of = (decision: GrantDecision) => ({
    action: `${pathOf('grants', id)}/${decision}`,
    hidden: { revision: String(revision) },
  });
  const revoke = confirmForm(context, {
    ...{ ...of('revoke'), label: 'Revoke', icon: 'x', button: 'Revoke the grant' },
    question: html`${holder.name} loses these scopes of ${target.name} with its next token, and its next deploy fails until they are given again.`,
  });
  const approve = form(context, {
    ...of('approve'),
    button: status === 'pending' ? 'Approve' : 'Approve after all',
    icon: 'check',
  });
  const deny = confirmForm(context, {
    ...{ ...of('deny'), label: 'Deny', icon: 'x', button: 'Deny the grant' },
    question: html`No deploy of ${holder.name} asks for ${scopes.length === 1 ? 'this scope' : 'these scopes'} again.`,
  });
  return html`<div class="buttons">${status === 'approved' ? revoke : approve}${status === 'pending' && deny}</div>`;
}

const DONE: Readonly<Record<GrantDecision, string>> = {
  approve: 'The grant is approved: the next deploy goes on.',
  deny: 'The grant is denied.',
  revoke: 'The grant is revoked: the next token lacks the scopes.',
};

const decide = GRANT_DECISIONS.map((decision) =>
  defineAction({
    module: 'grants',
    path: `${PATH}/:id/${decision}`,
    summary: `${decision[0]?.toUpperCase()}${decision.slice(1)} a grant`,
    callers: { 'platform-admin': true, user: 'admin' },
    params: z.strictObject({ id: z.string().min(1).max(64) }),
    // The decision is about what the page showed: one that was changed meanwhile is refused.
    body: z.strictObject({ revision: z.coerce.number().int().positive() }),
    back: () => PATH,
    run: async ({ platform, params: { id }, body }) => {
      await platform.send('builder', 'POST', `${pathOf('grants', id)}/${decision}`, grantViewSchema, { body });
      return { to: PATH, notice: DONE[decision] };
    },
  }),
);

/** Scopes across orgs. */
export const grants: WebModule = { pages: [grantsPage], actions: decide };
