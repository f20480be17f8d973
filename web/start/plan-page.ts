import { z } from 'zod';
import { html } from '../../api/http/pages/html.ts';
import { serviceDetailSchema } from '../../domain/catalog/service-schema.ts';
import { planReplySchema } from '../../domain/deploys/plan-schema.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { card, facts, linkButton, partCard } from '../look/components.ts';
import { form } from '../look/forms.ts';
import { MEMBERS } from '../members.ts';
import { definePage } from '../page.ts';
import { part } from '../platform/part.ts';
import { pathOf } from '../platform/platform.ts';
import { environmentChoice, planSteps, START, stepper } from './plan-view.ts';

/** The plan of a service that is here. */
export const planPage = definePage({
  module: 'start',
  path: '/start/:name',
  summary: 'The plan of a deploy, before it begins',
  under: '/services',
  callers: MEMBERS,
  params: z.object({ name: z.string().max(64) }),
  query: z.object({ environment: environmentSchema.default('prod'), branch: z.string().max(250).optional() }),
  load: async ({ platform, params: { name }, query: { environment, branch } }) => {
    const source = branch === undefined ? {} : { branch };
    const [service, plan] = await Promise.all([
      platform.get('builder', pathOf('services', name), serviceDetailSchema),
      part(
        platform.send('builder', 'POST', '/builds/plan', planReplySchema, {
          body: { service: name, environment, ...source },
        }),
      ),
    ]);
    return { service, plan, environment, branch: branch ?? service.branch };
  },
  view: ({ service: { name, gitUrl, appPath }, plan, environment, branch }, context) => {
    const kept = context.query.branch === undefined ? {} : { branch: context.query.branch };
    return {
      title: `Deploy ${name}`,
      crumbs: [
        ['Services', '/services'],
        ['Deploy a service', START],
      ],
      body: html`${stepper(1)}<div class="columns"><div>${partCard({ title: 'What will be done', flush: plan.ok }, plan, planSteps)}</div><div>
${card(
  { title: 'Deploy' },
  html`${facts([
    ['Repository', html`<code>${gitUrl ?? 'uploaded folders'}</code>`],
    ['Branch', branch ?? 'default branch'],
    ...(appPath === null ? [] : [['Folder', html`<code>${appPath}</code>`] as const]),
    ['Environment', environment],
  ])}${environmentChoice(environment, (one) => `${pathOf('start', name)}?${new URLSearchParams({ environment: one, ...kept })}`)}
${form(context, { action: pathOf('services', name, 'deploy'), button: 'Deploy now', icon: 'rocket', hidden: { environment, branch: branch ?? '' } })}`,
)}
${card(
  { title: 'Before the deploy' },
  html`<p class="quiet">If the service needs passwords or addresses to start, put them into its configuration first.</p>${linkButton(pathOf('services', name, 'config'), 'Open the configuration', { icon: 'sliders' })}`,
)}</div></div>`,
    };
  },
});
