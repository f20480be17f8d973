import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { FairleadError } from '../../domain/errors.ts';
import { orgGrantViewSchema } from '../../domain/orgs/schema.ts';
import { card, partCard, table } from '../look/components.ts';
import { checkbox, confirmForm, field, form } from '../look/forms.ts';
import { ago } from '../look/time.ts';
import { definePage, type PageContext } from '../page.ts';
import { part } from '../platform/part.ts';
import { type OrgView, openOrg, orgApi, orgPage } from './org-access.ts';
import { stateOf } from './people-words.ts';

const GRANTS = z.object({ items: z.array(orgGrantViewSchema) });
type Grant = z.output<typeof orgGrantViewSchema>;

export const orgSettingsPage = definePage({
  module: 'orgs',
  path: '/orgs/:slug/settings',
  summary: 'What an org asks of logins, how it looks, and which clients manage its people',
  params: z.strictObject({ slug: z.string().max(63) }),
  load: async (context) => {
    const { platform, params } = context;
    const { org, administers } = await openOrg(context, params.slug);
    if (!administers) throw new FairleadError('FORBIDDEN', `Settings of ${org.slug} are for its admins`);
    return { org, grants: await part(platform.get('idp', orgApi(params.slug, 'grants'), GRANTS)) };
  },
  view: ({ org, grants }, context) => ({
    title: 'Settings',
    crumbs: [
      ['Organisations', '/orgs'],
      [org.name, orgPage(org.slug)],
    ],
    beside: org.suspendedAt !== null && stateOf(org),
    body: html`${policyCard(org, context)}${nameCard(org, context)}${lookCard(org, context)}
${partCard({ title: 'Clients that manage people' }, grants, ({ items }) => grantsView(items, org, context))}
${context.person.kind === 'platform-admin' && platformCard(org, context)}`,
  }),
});

function policyCard({ slug, policy }: OrgView, context: PageContext): Html {
  return card(
    { title: 'Logins' },
    form(context, {
      action: orgPage(slug, 'settings', 'policy'),
      button: 'Save',
      fields: (own) => html`${checkbox(own, {
        ...{ name: 'secondFactorRequired', label: 'A second factor is required' },
        ...{
          checked: policy.secondFactorRequired,
          hint: 'Only logins with a second factor count here. Yours has to be one.',
        },
      })}
${field(own, {
  ...{ name: 'policy.sessionHours', label: 'Hours that a login counts', type: 'number' },
  ...{
    value: policy.sessionHours === null ? '' : String(policy.sessionHours),
    hint: '1 to 168. Empty: as long as it lives.',
  },
})}`,
    }),
  );
}

function nameCard({ slug, name }: OrgView, context: PageContext): Html {
  return card(
    { title: 'Name' },
    form(context, {
      action: orgPage(slug, 'settings', 'name'),
      button: 'Save',
      fields: (own) => field(own, { name: 'name', label: 'Name of the organisation', value: name, required: true }),
    }),
  );
}

function lookCard({ slug, whiteLabel }: OrgView, context: PageContext): Html {
  const { emailFromName, logoUrl, primaryColor } = whiteLabel;
  return card(
    { title: 'Look of sign-in pages and mail' },
    form(context, {
      action: orgPage(slug, 'settings', 'look'),
      button: 'Save',
      fields: (
        own,
      ) => html`${field(own, { name: 'whiteLabel.emailFromName', label: 'Sender of mail', value: emailFromName ?? '' })}
${field(own, { name: 'whiteLabel.logoUrl', label: 'Address of the logo', type: 'url', value: logoUrl ?? '', placeholder: 'https://' })}
${field(own, { name: 'whiteLabel.primaryColor', label: 'Colour', value: primaryColor ?? '', placeholder: '#0F172A', mono: true })}`,
    }),
  );
}

function grantsView(grants: readonly Grant[], { slug }: OrgView, context: PageContext): Html {
  const columns = [
    { label: 'Client', kind: 'main' },
    { label: 'Allowed by' },
    { label: 'Since' },
    { label: 'Stop', kind: 'actions' },
  ] as const;
  const rows = grants.map(({ clientId, approvedBy, approvedAt }) => [
    html`<code>${clientId}</code>`,
    approvedBy,
    ago(approvedAt, context.now()),
    confirmForm(context, {
      ...{ action: orgPage(slug, 'settings', 'grants', clientId, 'revoke'), label: 'Stop', button: 'Stop it' },
      question: html`<code>${clientId}</code> makes no accounts here any more. Those that it made stay.`,
    }),
  ]);
  return html`<p class="quiet">A client with this right makes accounts in the organisation and sees its people.</p>
${rows.length > 0 && table('Clients that manage people', columns, rows)}
${form(context, {
  ...{ action: orgPage(slug, 'settings', 'grants'), button: 'Allow it', tone: 'plain' },
  fields: (own) => field(own, { name: 'clientId', label: 'Client', mono: true, required: true }),
})}`;
}

/** What the platform alone decides of an org. */
function platformCard({ slug, modules, suspendedAt, platform, name }: OrgView, context: PageContext): Html {
  return card(
    { title: 'Set by the platform' },
    html`${form(context, {
      action: orgPage(slug, 'settings', 'modules'),
      button: 'Save',
      fields: (own) =>
        field(own, {
          ...{ name: 'modules', label: 'Modules', value: modules.join(' '), mono: true },
          hint: 'Words with blanks between them. A member has those that are given to them.',
        }),
    })}
${!platform && html`<hr>`}${!platform && (suspendedAt === null ? confirmForm(context, { action: orgPage(slug, 'settings', 'suspend'), label: 'Suspend the organisation', icon: 'pause', button: 'Suspend it', question: `What people and clients of ${name} hold ends at once, and they get nothing new.` }) : form(context, { action: orgPage(slug, 'settings', 'restore'), button: 'Restore the organisation', tone: 'plain' }))}`,
  );
}
