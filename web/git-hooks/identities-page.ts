import { z } from 'zod';
import { html } from '../../api/http/pages/html.ts';
import { gitIdentityViewSchema } from '../../domain/git-identities/git-identity-schema.ts';
import { GIT_PROVIDERS } from '../../domain/git-provider.ts';
import { card, emptyState, table } from '../look/components.ts';
import { confirmForm, field, form, select } from '../look/forms.ts';
import { ago } from '../look/time.ts';
import { type Action, defineAction, definePage } from '../page.ts';
import { pathOf } from '../platform/platform.ts';
import { PATH, PROVIDER_WORDS } from './connection-words.ts';

const API = '/git/identities';
/** Ids of connections begin otherwise, so that this is none. */
const OWN_PATH = `${PATH}/identities`;
const CALLERS = { 'platform-admin': true, user: 'viewer' } as const;
const row = { module: 'git-hooks', callers: CALLERS } as const;

const COLUMNS = [
  { label: 'Account', kind: 'main' },
  { label: 'Linked' },
  { label: 'Unlink', kind: 'actions' },
] as const;

/** The person's own accounts at git hosts: builds of their pushes belong to them. */
export const identitiesPage = definePage({
  ...row,
  path: OWN_PATH,
  summary: 'The own accounts at git hosts',
  under: PATH,
  tab: { of: 'git', label: 'Your accounts', order: 10 },
  load: ({ platform }) => platform.get('builder', API, z.object({ items: z.array(gitIdentityViewSchema) })),
  view: ({ items }, context) => ({
    title: 'Push deploys',
    lead: 'Your own accounts at git hosts. A build of what you push belongs to you, where you may deploy the service.',
    body: html`${card(
      { flush: true },
      items.length === 0
        ? emptyState({
            icon: 'link',
            title: 'No account is linked',
            text: 'Builds of your pushes are of the organisation until you link your account.',
          })
        : table(
            'Accounts',
            COLUMNS,
            items.map(({ id, provider, host, login, linkedAt }) => [
              html`${login}<span class="sub">${PROVIDER_WORDS[provider]} · ${host}</span>`,
              ago(linkedAt, context.now()),
              confirmForm(context, {
                ...{ action: pathOf('git', 'identities', id, 'unlink'), label: 'Unlink', button: 'Unlink it' },
                question: 'Builds of its pushes do not belong to you any more.',
              }),
            ]),
          ),
    )}
${card(
  { title: 'Link an account' },
  form(context, {
    ...{ action: OWN_PATH, button: 'Link it', icon: 'link' },
    fields: (own) => html`<div class="field-row">${select(own, {
      ...{ name: 'provider', label: 'Git host' },
      choices: GIT_PROVIDERS.map((provider) => [provider, PROVIDER_WORDS[provider]] as const),
    })}
${field(own, { name: 'host', label: 'Its address', mono: true, placeholder: 'https://git.example' })}</div>
<div class="field"><p class="hint">Without an address: github.com, gitlab.com, or the platform's own.</p></div>
${field(own, { name: 'token', label: 'Token of the account', type: 'password', mono: true, required: true, hint: 'It shows that the account is yours, reads your user there once, and is not kept.' })}`,
  }),
)}`,
  }),
});

export const identityActions: readonly Action[] = [
  defineAction({
    ...row,
    path: OWN_PATH,
    summary: 'Links an own account at a git host',
    body: z.object({
      provider: z.enum(GIT_PROVIDERS),
      host: z.string().trim().max(2_048).default(''),
      token: z.string().trim().max(4_096),
    }),
    secrets: ['token'],
    back: () => OWN_PATH,
    run: async ({ platform, body: { host, ...rest } }) => {
      const body = host === '' ? rest : { ...rest, host };
      const { login } = await platform.send('builder', 'POST', API, gitIdentityViewSchema, { body });
      return { to: OWN_PATH, notice: `${login} is linked.` };
    },
  }),
  defineAction({
    ...row,
    path: `${OWN_PATH}/:id/unlink`,
    summary: 'Unlinks an own account',
    params: z.strictObject({ id: z.string().min(1).max(64) }),
    back: () => OWN_PATH,
    run: async ({ platform, params: { id } }) => {
      const { login } = await platform.send(
        'builder',
        'DELETE',
        pathOf('git', 'identities', id),
        gitIdentityViewSchema,
      );
      return { to: OWN_PATH, notice: `${login} is unlinked.` };
    },
  }),
];
