import type { DeviceAuthorization } from '../../../../domain/identity/login.ts';
import type { ClientRecord } from '../../../../domain/oauth-clients/client.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { html } from '../../../http/pages/html.ts';
import { redirectTo, sendPage } from '../../../http/pages/send-page.ts';
import { audit } from '../../audit.ts';
import type { IdentityDeps } from '../../deps.ts';
import type { LoggedIn } from '../../login/find-session.ts';
import { scopeName } from '../authorize/scope-names.ts';
import { brandOf, platformBrand } from '../brand.ts';
import { field, hidden } from '../form-fields.ts';
import { readableTime } from '../readable-time.ts';
import { withReturnTo } from '../return-to.ts';
import { type FormError, orShowForm } from '../show-error.ts';
import { openVisit, requireOwnFormOfUser } from '../visit.ts';
import { findDevice, unknownDevice } from './find-device.ts';

/**
 * GET /oauth/device (RFC 8628, 3.3): asks for the code, of people who are signed in. A code that came in the link is
 * filled in and still has to be sent and confirmed by its person (RFC 8628, 5.4).
 */
export async function openDevice(
  deps: IdentityDeps,
  context: RouteContext,
  code: string,
  error?: FormError,
): Promise<Reply> {
  const { loggedIn, csrf } = await openVisit(deps, context);
  if (loggedIn === null) {
    const query = code === '' ? '' : `?user_code=${encodeURIComponent(code)}`;
    return redirectTo(withReturnTo('/login', `/oauth/device${query}`));
  }
  return sendPage(
    {
      title: 'Connect a device',
      brand: platformBrand(deps),
      error: error?.message ?? null,
      body: html`<p>You are signed in as <strong>${loggedIn.user.email}</strong>. Type the code that the device or
program shows.</p>
<form method="post" action="/oauth/device">${hidden('csrf', csrf)}
${field({
  name: 'user_code',
  label: 'Code',
  value: code,
  autocomplete: 'off',
  autofocus: true,
  code: true,
  maxlength: 40,
  invalid: error !== undefined,
})}
<button>Continue</button></form>`,
    },
    error === undefined ? {} : { status: error.status },
  );
}

/** POST /oauth/device: shows who asks, and from where, to be confirmed. @throws CSRF_REFUSED, UNAUTHORIZED */
export async function checkDevice(
  deps: IdentityDeps,
  context: RouteContext,
  form: { readonly csrf: string; readonly user_code: string },
): Promise<Reply> {
  const loggedIn = await requireOwnFormOfUser(deps, context, form.csrf);
  return orShowForm(
    async () => {
      const { device, client } = await findDevice(deps, loggedIn, form.user_code);
      return confirmPage(deps, loggedIn, device, client);
    },
    (error) => openDevice(deps, context, form.user_code, error),
  );
}

/** POST /oauth/device/decision. @throws CSRF_REFUSED, UNAUTHORIZED */
export async function decideDevice(
  deps: IdentityDeps,
  context: RouteContext,
  form: { readonly csrf: string; readonly user_code: string; readonly decision: 'allow' | 'deny' },
): Promise<Reply> {
  const loggedIn = await requireOwnFormOfUser(deps, context, form.csrf);
  const { session, user } = loggedIn;
  return orShowForm(
    async () => {
      const { device, client } = await findDevice(deps, loggedIn, form.user_code);
      const { methods, authenticatedAt } = session;
      const allowed = form.decision === 'allow';
      const approval = allowed ? { userId: user.id, sessionId: session.id, methods, authenticatedAt } : null;
      await audit(deps, context, {
        type: allowed ? 'oauth.device_approved' : 'oauth.device_denied',
        actor: user.id,
        subject: client.clientId,
        orgSlug: client.orgSlug,
        data: { scopes: device.scopes, deviceAddress: device.address },
      });
      if (!(await deps.devices.decide(device.userCode, approval, deps.now()))) throw unknownDevice();
      return sendPage({
        title: allowed ? 'The device is connected' : 'The device was refused',
        brand: await brandOf(deps, client.clientId),
        body: html`<p>${allowed ? 'You can go back to it, and close this page.' : 'It gets no access. You can close this page.'}</p>
<p class="links"><a href="/account">Your account</a></p>`,
      });
    },
    (error) => openDevice(deps, context, '', error),
  );
}

async function confirmPage(
  deps: IdentityDeps,
  { user, csrf }: LoggedIn & { readonly csrf: string },
  device: DeviceAuthorization,
  client: ClientRecord,
): Promise<Reply> {
  return sendPage({
    title: `Connect ${client.name}?`,
    brand: await brandOf(deps, client.clientId),
    body: html`<p>Go on only if you started this yourself, just now, and the device shows this code.</p>
<dl><dt>Code</dt><dd><code>${readableCode(device.userCode)}</code></dd>
<dt>Asked from</dt><dd>${device.address}</dd>
<dt>Asked at</dt><dd>${readableTime(device.createdAt)}</dd>
<dt>Your account</dt><dd>${user.email}</dd></dl>
<p>It may then:</p>
<ul class="scopes">${device.scopes.map((scope) => html`<li>${scopeName(scope)} <code>${scope}</code></li>`)}</ul>
<form method="post" action="/oauth/device/decision">
${hidden('csrf', csrf)}${hidden('user_code', device.userCode)}
<button name="decision" value="allow">Connect</button>
<button name="decision" value="deny" class="second">Do not connect</button>
</form>`,
  });
}

/** Two groups, as the device shows it. */
function readableCode(userCode: string): string {
  return `${userCode.slice(0, 4)}-${userCode.slice(4)}`;
}
