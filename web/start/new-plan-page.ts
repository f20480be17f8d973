import { z } from 'zod';
import { html } from '../../api/http/pages/html.ts';
import { planReplySchema } from '../../domain/deploys/plan-schema.ts';
import { triggerReplySchema } from '../../domain/deploys/schema.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { serviceNameSchema } from '../../domain/service-name.ts';
import { card, facts, partCard } from '../look/components.ts';
import { form } from '../look/forms.ts';
import { MEMBERS } from '../members.ts';
import { defineAction, definePage } from '../page.ts';
import { part } from '../platform/part.ts';
import { type Platform, pathOf } from '../platform/platform.ts';
import { findSame, type NewService, newServiceOf, register, sourceShape } from './new-service.ts';
import { environmentChoice, planSteps, START, stepper } from './plan-view.ts';

/** No service is called so: the names of services stand below `/start`. */
const PLAN = '/plan';

type Environment = z.output<typeof environmentSchema>;

/** Path of the plan of a service that may not be here: everything that is known of it stands in the address. */
export function newPlanPath(service: NewService, environment: Environment = 'prod'): string {
  return `${PLAN}?${new URLSearchParams({ ...service, environment })}`;
}

/** The plan as the builder makes it of the address alone; it keeps nothing. @throws what the builder refuses */
export function planOf(platform: Platform, { name, ...source }: NewService, environment: Environment = 'prod') {
  const body = { service: name, environment, ...source };
  return platform.send('builder', 'POST', '/builds/plan', planReplySchema, { body });
}

/** The plan of a service that is not here yet. Whoever leaves this page leaves nothing behind. */
export const newPlanPage = definePage({
  module: 'start',
  path: PLAN,
  summary: 'The plan of a first deploy; nothing is kept',
  under: '/services',
  callers: MEMBERS,
  query: z.object({ ...sourceShape, name: serviceNameSchema, environment: environmentSchema.default('prod') }),
  load: async ({ platform, query: { environment, ...typed } }) => {
    const service = newServiceOf(typed);
    return { service, environment, plan: await part(planOf(platform, service, environment)) };
  },
  view: ({ service, plan, environment }, context) => {
    const { name, gitUrl, branch, appPath } = service;
    const hidden = { ...service, environment };
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
    ['Service', html`${name}<span class="sub">nothing is kept before you deploy it</span>`],
    ['Repository', html`<code>${gitUrl}</code>`],
    ['Branch', branch ?? 'default branch'],
    ...(appPath === undefined ? [] : [['Folder', html`<code>${appPath}</code>`] as const]),
    ['Environment', environment],
  ])}${environmentChoice(environment, (one) => newPlanPath(service, one))}
${form(context, { action: PLAN, button: 'Deploy now', icon: 'rocket', hidden })}`,
)}
${card(
  { title: 'Before the first deploy' },
  html`<p class="quiet">If the service needs passwords or addresses to start, have it made without a deploy, and put them into its configuration.</p>
${form(context, { action: `${PLAN}/configure`, button: 'Make it, and open its configuration', icon: 'sliders', tone: 'plain', hidden })}`,
)}</div></div>`,
    };
  },
});

const row = {
  module: 'start',
  callers: MEMBERS,
  body: z.object({ ...sourceShape, environment: environmentSchema }),
  // The form there shows what was typed, and why it was refused.
  back: () => START,
} as const;

/** Makes the service and deploys it. */
export const deployNew = defineAction({
  ...row,
  path: PLAN,
  summary: 'Makes a service of a repository, and deploys it',
  run: async ({ platform, body: { environment, ...typed } }) => {
    const wanted = newServiceOf(typed);
    const service = await register(platform, wanted);
    const branch = wanted.branch === undefined ? {} : { branch: wanted.branch };
    const body = { service, environment, ...branch };
    const { buildId } = await platform.send('builder', 'POST', '/builds/trigger', triggerReplySchema, { body });
    return { to: pathOf('builds', buildId), notice: 'The deploy has begun.' };
  },
});

/** Makes the service without a deploy: its configuration comes first. */
export const configureNew = defineAction({
  ...row,
  path: `${PLAN}/configure`,
  summary: 'Makes a service of a repository, and opens its configuration',
  run: async ({ platform, body }) => {
    const service = await register(platform, newServiceOf(body));
    return { to: pathOf('services', service, 'config'), notice: `${service} is here. It is not deployed yet.` };
  },
});

/** Where the plan of what was typed is shown. @throws VALIDATION_FAILED, SOURCE_REFUSED, and whatever else the builder refuses */
export async function planPathOf(platform: Platform, service: NewService): Promise<string> {
  const found = await findSame(platform, service);
  if (found === null) {
    // What the builder refuses is told at the form, and stands in no address: it may be a password.
    await planOf(platform, service);
    return newPlanPath(service);
  }
  const { branch } = service;
  const asked = branch === undefined || branch === found.branch ? '' : `?${new URLSearchParams({ branch })}`;
  return `${pathOf('start', found.name)}${asked}`;
}
