import type { GrantRecord, SessionRecord } from '../../../../domain/identity/login.ts';
import { type Html, html } from '../../../http/pages/html.ts';
import type { IdentityDeps } from '../../deps.ts';
import { hidden } from '../form-fields.ts';
import { readableTime } from '../readable-time.ts';
import { browserName } from './browser-name.ts';
import type { Account } from './require-account.ts';

/** Where the person is signed in: browsers, and applications with their tokens. Each can be ended. */
export async function loginsSection(deps: IdentityDeps, account: Account): Promise<Html> {
  const now = deps.now();
  const sessions = await deps.sessions.listOfUser(account.user.id, now);
  const grants = await deps.grants.listOfUser(account.user.id, now);
  const names = await clientNames(deps, grants);
  return html`<h2 id="browsers">Browsers</h2>
<ul class="rows" aria-labelledby="browsers">${sessions.map((session) => sessionRow(account, session))}</ul>
${sessions.length > 1 && othersForm(account)}
<h2 id="apps">Applications</h2>
${grants.length === 0 && html`<p class="quiet">No application has access to your account.</p>`}
${grants.length > 0 && html`<ul class="rows" aria-labelledby="apps">${grants.map((grant) => grantRow(account, grant, names))}</ul>`}`;
}

async function clientNames(deps: IdentityDeps, grants: readonly GrantRecord[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(grants.map(({ clientId }) => clientId))];
  return new Map(await Promise.all(ids.map(async (id) => [id, (await deps.clients.find(id))?.name ?? id] as const)));
}

function sessionRow({ csrf, session: own }: Account, session: SessionRecord): Html {
  const name = browserName(session.userAgent);
  return html`<li><div><strong>${name}</strong>
${session.id === own.id && html` <span class="badge">This one</span>`}
<span class="quiet">${session.address} · since ${readableTime(session.createdAt)} · last used
${readableTime(session.lastSeenAt)}</span></div>
${session.id !== own.id && endForm('/account/sessions/end', csrf, session.id, `Sign out ${name}`)}</li>`;
}

function grantRow({ csrf }: Account, grant: GrantRecord, names: ReadonlyMap<string, string>): Html {
  const name = names.get(grant.clientId) ?? grant.clientId;
  return html`<li><div><strong>${name}</strong>
<span class="quiet">${grant.scopes.join(', ')} · since ${readableTime(grant.createdAt)} · last used
${readableTime(grant.lastUsedAt)}</span></div>
${endForm('/account/grants/end', csrf, grant.id, `Remove access of ${name}`)}</li>`;
}

function endForm(action: string, csrf: string, id: string, label: string): Html {
  return html`<form method="post" action="${action}">${hidden('csrf', csrf)}${hidden('id', id)}
<button class="second small danger" aria-label="${label}">End</button></form>`;
}

function othersForm({ csrf }: Account): Html {
  return html`<form method="post" action="/account/sessions/end-others">${hidden('csrf', csrf)}
<button class="second small danger">Sign out everywhere else</button></form>`;
}
