import { isPlatformAdmin } from '../../../../domain/roles.ts';
import { serviceRow } from '../../../../domain/services.ts';
import { type Html, html } from '../../../http/pages/html.ts';
import type { IdentityDeps } from '../../deps.ts';
import type { Account } from './require-account.ts';

/** What a platform admin does first. Shown until an application, such as the command line, has access to the account. */
export async function nextStepsSection(deps: IdentityDeps, { user }: Account): Promise<Html | false> {
  if (!isPlatformAdmin(user.platformRoles)) return false;
  if ((await deps.grants.listOfUser(user.id, deps.now())).length > 0) return false;
  const outbox = html`<li>Read the mail of this installation, which has no mail server, in the
<a href="/outbox">outbox</a>.</li>`;
  const consoleUrl = deps.settings.serviceUrls[serviceRow('console').name];
  const inBrowser =
    consoleUrl !== undefined &&
    html`<li>Deploy and look after services in the browser: <a href="${consoleUrl}">the console</a></li>`;
  return html`<h2 id="next">Next steps</h2>
<ol aria-labelledby="next">${inBrowser}<li>Sign in on the command line: <code>npx fairlead login</code></li>
<li>Deploy a git address or a folder: <code>npx fairlead deploy &lt;git url or folder&gt;</code></li>
<li>Invite people: <code>npx fairlead invite &lt;email&gt;</code></li>
${deps.mail.outbox !== null && outbox}</ol>`;
}
