import { z } from 'zod';
import { html } from '../../api/http/pages/html.ts';
import { createdInviteSchema, createInviteBodySchema } from '../../domain/orgs/schema.ts';
import { codeBlock, externalLink, linkButton, notice } from '../look/components.ts';
import { exact } from '../look/time.ts';
import { defineAction, type PageView } from '../page.ts';
import { orgApi, orgPage } from './org-access.ts';

const slug = z.string().max(63);

type Created = z.output<typeof createdInviteSchema>;

export const invite = defineAction({
  module: 'orgs',
  path: '/orgs/:slug/invites',
  summary: 'Invites somebody into an org; without a mail, the link is shown this once',
  params: z.strictObject({ slug }),
  body: createInviteBodySchema.pick({ role: true }).extend({
    email: z.string().trim().max(320),
    byHand: z.literal('on').optional(),
  }),
  back: ({ slug: org }) => orgPage(org),
  run: async ({ platform, params, body: { byHand, ...body } }) => {
    const order = { ...body, sendEmail: byHand === undefined };
    const made = await platform.send('idp', 'POST', orgApi(params.slug, 'invites'), createdInviteSchema, {
      body: order,
    });
    if (made.inviteUrl !== undefined) return { shown: linkPage(params.slug, made, made.inviteUrl) };
    if (made.outboxUrl !== undefined) return { shown: outboxPage(params.slug, made, made.outboxUrl) };
    return { to: orgPage(params.slug), notice: `An invitation is on its way to ${made.email}.` };
  },
});

function linkPage(org: string, { email, expiresAt }: Created, inviteUrl: string): PageView {
  return {
    ...invited(org),
    body: html`${notice('warn', html`<p>This link is shown once. Pass it on to ${email} alone: it is good until ${exact(expiresAt)}.</p>`)}
${codeBlock('Link of the invitation', inviteUrl)}${back(org)}`,
  };
}

/** An installation without a mail server keeps what it would send. */
function outboxPage(org: string, { email }: Created, outboxUrl: string): PageView {
  return {
    ...invited(org),
    body: html`${notice('info', html`<p>This installation has no mail server. The invitation of ${email} lies in its outbox: ${externalLink(outboxUrl)}</p>`)}
${back(org)}`,
  };
}

function invited(org: string) {
  const crumbs = [
    ['Organisations', '/orgs'],
    [org, orgPage(org)],
  ] as const;
  return { title: 'Invited', crumbs };
}

function back(org: string) {
  return html`<div class="buttons">${linkButton(orgPage(org), 'Back to the people', { primary: true })}</div>`;
}

export const withdrawInvite = defineAction({
  module: 'orgs',
  path: '/orgs/:slug/invites/:inviteId/withdraw',
  summary: 'Withdraws an invitation',
  params: z.strictObject({ slug, inviteId: z.string().max(64) }),
  back: ({ slug: org }) => orgPage(org),
  run: async ({ platform, params: { slug: org, inviteId } }) => {
    await platform.send('idp', 'DELETE', orgApi(org, 'invites', inviteId), z.object({ id: z.string() }));
    return { to: orgPage(org), notice: 'The invitation is withdrawn.' };
  },
});
