import { ORG_EVENTS } from '../../../../domain/audit/org-events.ts';
import type { KeptEvent } from '../../../../domain/audit/ports.ts';
import type { OrgRecord } from '../../../../domain/orgs/org.ts';
import { orgNotFound } from '../../../../domain/orgs/org-not-found.ts';
import { admitsLogin } from '../../../../domain/orgs/policy.ts';
import { hasOrgRole } from '../../../../domain/roles.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { type Html, html } from '../../../http/pages/html.ts';
import { sendPage } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { findMemberships } from '../../tokens/token-person.ts';
import { platformBrand } from '../brand.ts';
import { readableTime } from '../readable-time.ts';
import { type Account, withAccount } from './require-account.ts';

export const AUDIT_PATH = '/account/audit';
const PAGE = 50;

/** On the account page: the audit lists of the orgs whose admin one is. */
export async function auditSection(deps: IdentityDeps, account: Account): Promise<Html | false> {
  const orgs = await administeredOrgs(deps, account);
  return (
    orgs.length > 0 &&
    html`<h2 id="orgs">Your organizations</h2>
<ul class="rows" aria-labelledby="orgs">${orgs.map(
      ({ slug, name }) => html`<li><div><strong>${name}</strong></div>
<a href="${linkTo(slug, null)}">What was changed</a></li>`,
    )}</ul>`
  );
}

/** GET /account/audit: what was changed in an org, for its admins. @throws ORG_NOT_FOUND for everybody else */
export function openAudit(
  deps: IdentityDeps,
  context: RouteContext,
  { org: slug, cursor }: { readonly org: string; readonly cursor?: string | undefined },
): Promise<Reply> {
  return withAccount(deps, context, async (account) => {
    const org = (await administeredOrgs(deps, account)).find((one) => one.slug === slug);
    if (org === undefined) throw orgNotFound();
    const filter = { orgSlug: slug, types: ORG_EVENTS };
    const { items, nextCursor } = await deps.audit.list(filter, { cursor: cursor ?? null, limit: PAGE });
    return sendPage({
      title: 'What was changed',
      brand: platformBrand(deps),
      wide: true,
      body: html`<p>In <strong>${org.name}</strong>, its people and its clients, newest first.</p>
${items.length === 0 && html`<p class="quiet">Nothing more.</p>`}
<ul class="rows" aria-label="Events">${items.map(eventRow)}</ul>
<p class="links">${nextCursor !== null && html`<a href="${linkTo(slug, nextCursor)}">Older</a> · `}<a href="/account">Your account</a></p>`,
    });
  });
}

function eventRow({ type, actor, subject, time }: KeptEvent): Html {
  return html`<li><div><strong>${type}</strong> ${subject}
<span class="quiet">${readableTime(time)} · by ${actor}</span></div></li>`;
}

async function administeredOrgs(deps: IdentityDeps, { user, session }: Account): Promise<readonly OrgRecord[]> {
  const { live } = await findMemberships(deps, user.id);
  const admitted = live.filter(({ org }) => admitsLogin(org.policy, session, deps.now()));
  return admitted.flatMap(({ membership, org }) => (hasOrgRole(membership.roles, 'admin') ? [org] : []));
}

function linkTo(org: string, cursor: string | null): string {
  return `${AUDIT_PATH}?${new URLSearchParams({ org, ...(cursor === null ? {} : { cursor }) })}`;
}
