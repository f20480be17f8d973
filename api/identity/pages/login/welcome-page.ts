import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { html } from '../../../http/pages/html.ts';
import { sendPage } from '../../../http/pages/send-page.ts';
import { completeFirstAdmin, type FirstAdmin } from '../../bootstrap.ts';
import type { IdentityDeps } from '../../deps.ts';
import { linkInvalid } from '../../login/one-time-links.ts';
import { platformBrand } from '../brand.ts';
import { field, hidden } from '../form-fields.ts';
import { nameFields } from '../name-fields.ts';
import { newPasswordField } from '../new-password-field.ts';
import { HOME } from '../return-to.ts';
import { type FormError, orShowForm } from '../show-error.ts';
import { openVisit, requireOwnForm } from '../visit.ts';
import { completeLogin } from './complete-login.ts';

/** What the person typed that is shown again; never the password. */
type Shown = Pick<FirstAdmin, 'email' | 'firstName' | 'lastName'>;

const EMPTY: Shown = { email: '', firstName: '', lastName: '' };

/** GET /welcome: the first administrator introduces themself; opening it takes nothing. @throws LINK_INVALID */
export async function openWelcome(
  deps: IdentityDeps,
  context: RouteContext,
  token: string,
  shown: Shown & { readonly error?: FormError } = EMPTY,
): Promise<Reply> {
  const link = await deps.links.find(deps.tokens.hash(token), 'first_admin');
  if (link === null || link.consumedAt !== null || link.expiresAt <= deps.now()) throw linkInvalid();
  const { csrf, cookies } = await openVisit(deps, context);
  const { error } = shown;
  return sendPage(
    {
      title: `Welcome to ${deps.settings.platformName}`,
      brand: platformBrand(deps),
      error: error?.message ?? null,
      body: html`<p>You are the first here. This makes the account that administers the installation.</p>
<form method="post" action="/welcome">${hidden('csrf', csrf)}${hidden('token', token)}
${nameFields(shown)}
${field({
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  value: shown.email,
  autocomplete: 'username',
  invalid: error?.code === 'VALIDATION_FAILED' || error?.code === 'USER_EXISTS',
})}
${newPasswordField({ label: 'Password', invalid: error?.code === 'PASSWORD_REFUSED' })}
<button>Create the account</button></form>`,
    },
    { cookies, ...(error === undefined ? {} : { status: error.status }) },
  );
}

/** POST /welcome: makes the first administrator, once, and signs them in. @throws CSRF_REFUSED, LINK_INVALID */
export async function welcome(
  deps: IdentityDeps,
  context: RouteContext,
  form: FirstAdmin & { readonly csrf: string },
): Promise<Reply> {
  const { csrf, ...person } = form;
  await requireOwnForm(deps, context, csrf);
  return orShowForm(
    async () => {
      const user = await completeFirstAdmin(deps, context, person);
      return completeLogin(deps, context, { user, methods: ['pwd'], returnTo: HOME });
    },
    (error) => openWelcome(deps, context, person.token, { ...person, error }),
  );
}
