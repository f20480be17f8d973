import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { serviceDetailSchema, serviceViewSchema } from '../../domain/catalog/service-schema.ts';
import { planReplySchema } from '../../domain/deploys/schema.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { serviceNameSchema } from '../../domain/service-name.ts';
import { card, facts, linkButton, partCard } from '../look/components.ts';
import { field, form } from '../look/forms.ts';
import { icon } from '../look/icons.ts';
import { defineAction, definePage, type PageContext, type WebModule } from '../page.ts';
import { part } from '../platform/part.ts';
import { type Platform, pathOf } from '../platform/platform.ts';
import { repositoryAddress, serviceNameOf } from './service-name-of.ts';

const MEMBERS = { 'platform-admin': true, user: 'member' } as const;
const START = '/start';

type Plan = z.output<typeof planReplySchema>;

/** The way of a newcomer: an address, the plan, the deploy, the service. */
const STEPS = ['Repository', 'Plan', 'Deploy'] as const;

function stepper(at: 0 | 1): Html {
  return html`<ol class="stepper">${STEPS.map((label, index) => html`<li${index === at && html` aria-current="step"`}${index < at && html` class="done"`}><span class="stepper-mark">${index < at ? icon('check') : index + 1}</span>${label}</li>`)}</ol>`;
}

const startPage = definePage({
  module: 'start',
  path: START,
  summary: 'Deploys a repository: first its address',
  under: '/services',
  callers: MEMBERS,
  load: async () => null,
  view: (_data, context) => ({
    title: 'Deploy a service',
    crumbs: [['Services', '/services']],
    lead: 'From a repository to a running address.',
    body: html`${stepper(0)}${card({ title: 'Where is the source?' }, form(context, { action: START, button: 'Show the plan', fields: fields(context) }))}
${card(
  { title: 'Is it on your own machine?' },
  html`<p>The command line uploads a folder, and needs no repository:</p><pre class="code" tabindex="0" aria-label="Commands"><code>fairlead login
fairlead deploy .</code></pre>`,
)}`,
  }),
});

function fields(context: PageContext): Html {
  return html`${field(context, {
    ...{ name: 'gitUrl', label: 'Repository', required: true, mono: true },
    placeholder: 'https://github.com/acme/shop',
    hint: 'An https or git address, or the name of a service that is here already. A private repository needs the access that its host gives to the platform.',
  })}<details class="more"><summary>Name, branch and folder</summary>
${field(context, { name: 'name', label: 'Name of the service', placeholder: 'the name of the repository', hint: 'Small letters, digits and dashes. Part of its address.' })}
${field(context, { name: 'branch', label: 'Branch', placeholder: 'default branch', mono: true })}
${field(context, { name: 'appPath', label: 'Folder of the app', placeholder: 'top of the repository', mono: true })}</details>`;
}

const optional = z.string().trim().max(400).optional();

const register = defineAction({
  module: 'start',
  path: START,
  summary: 'Registers a service by the address of its repository',
  callers: MEMBERS,
  body: z.object({ gitUrl: z.string().trim().min(1).max(2_000), name: optional, branch: optional, appPath: optional }),
  back: () => START,
  run: async ({ platform, body: { gitUrl, name, branch, appPath } }) => {
    const known = serviceNameSchema.safeParse(gitUrl);
    if (known.success) {
      const found = await part(platform.get('builder', pathOf('services', known.data), serviceViewSchema));
      if (found.ok) return { to: pathOf('start', found.value.name) };
    }
    const service = {
      name: serviceNameOf(given(name) ?? gitUrl),
      gitUrl: repositoryAddress(gitUrl),
      ...(given(branch) === undefined ? {} : { branch }),
      ...(given(appPath) === undefined ? {} : { appPath }),
    };
    if (!serviceNameSchema.safeParse(service.name).success) {
      throw new FairleadError('VALIDATION_FAILED', 'The address gives no name for the service: choose one', {
        details: [{ field: 'name', message: 'choose a name' }],
      });
    }
    await refuseTaken(platform, service);
    const { name: registered } = await platform.send('builder', 'POST', '/services', serviceViewSchema, {
      body: service,
    });
    return { to: pathOf('start', registered) };
  },
});

/** A service that is here keeps its repository: a plan is looked at, and changes nothing. @throws VALIDATION_FAILED */
async function refuseTaken(platform: Platform, { name, gitUrl }: { readonly name: string; readonly gitUrl: string }) {
  const found = await part(platform.get('builder', pathOf('services', name), serviceViewSchema));
  if (!found.ok || found.value.gitUrl === null || bare(found.value.gitUrl) === bare(gitUrl)) return;
  const message = `${name} is here already, built from ${found.value.gitUrl}: choose another name`;
  throw new FairleadError('VALIDATION_FAILED', `name: ${message}`, { details: [{ field: 'name', message }] });
}

function bare(address: string): string {
  return address.replace(/\/+$/, '').replace(/\.git$/, '');
}

function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

const planPage = definePage({
  module: 'start',
  path: '/start/:name',
  summary: 'The plan of a deploy, before it begins',
  under: '/services',
  callers: MEMBERS,
  params: z.object({ name: z.string().max(64) }),
  query: z.object({ environment: environmentSchema.default('prod') }),
  load: async ({ platform, params: { name }, query: { environment } }) => {
    const [service, plan] = await Promise.all([
      platform.get('builder', pathOf('services', name), serviceDetailSchema),
      part(platform.send('builder', 'POST', '/builds/plan', planReplySchema, { body: { service: name, environment } })),
    ]);
    return { service, plan, environment };
  },
  view: ({ service, plan, environment }, context) => {
    const { name, gitUrl, branch, appPath } = service;
    const path = pathOf('start', name);
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
  ])}<p class="segmented" role="group" aria-label="Environment">${ENVIRONMENTS.map((one) => html`<a class="segment" href="${path}?environment=${one}"${one === environment && html` aria-current="true"`}>${one}</a>`)}</p>
${form(context, { action: pathOf('services', name, 'deploy'), button: 'Deploy now', icon: 'rocket', hidden: { environment, branch: branch ?? '' } })}`,
)}
${card(
  { title: 'Before the first deploy' },
  html`<p class="quiet">If the service needs passwords or addresses to start, put them into its configuration first.</p>${linkButton(pathOf('services', name, 'config'), 'Open the configuration', { icon: 'sliders' })}`,
)}</div></div>`,
    };
  },
});

function planSteps({ steps, warnings }: Plan): Html {
  const runs = steps.filter(({ state }) => state !== 'skipped');
  const skipped = steps.filter(({ state }) => state === 'skipped');
  return html`${warnings.map((warning) => html`<p class="missing">${icon('alert')}<span>${warning}</span></p>`)}
<ol class="rows plan">${runs.map(({ title, reason }) => html`<li><span class="plan-mark" aria-hidden="true"></span><div class="row-main">${title}${reason !== null && html`<span class="sub">${reason}</span>`}</div></li>`)}</ol>
${skipped.length > 0 && html`<details class="more plan-skipped"><summary>${skipped.length} steps are not needed</summary><ul class="plain">${skipped.map(({ title, reason }) => html`<li>${title}<span class="sub">${reason}</span></li>`)}</ul></details>`}
<p class="quiet small">How the app is built and started is found out when its source is there; the build shows it.</p>`;
}

export const start: WebModule = { pages: [startPage, planPage], actions: [register] };
