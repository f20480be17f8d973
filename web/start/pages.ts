import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { serviceViewSchema } from '../../domain/catalog/service-schema.ts';
import { serviceNameSchema } from '../../domain/service-name.ts';
import { card } from '../look/components.ts';
import { field, form } from '../look/forms.ts';
import { MEMBERS } from '../members.ts';
import { defineAction, definePage, type PageContext, type WebModule } from '../page.ts';
import { part } from '../platform/part.ts';
import { pathOf } from '../platform/platform.ts';
import { configureNew, deployNew, newPlanPage, planPathOf } from './new-plan-page.ts';
import { newServiceOf, sourceShape } from './new-service.ts';
import { planPage } from './plan-page.ts';
import { START, stepper } from './plan-view.ts';

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

/** A form, so that an address that is refused, such as one with a password, stands in no history. */
const showPlan = defineAction({
  module: 'start',
  path: START,
  summary: 'Shows the plan of a repository, or of a service by its name; nothing is kept',
  callers: MEMBERS,
  body: z.object(sourceShape),
  back: () => START,
  run: async ({ platform, body }) => {
    const known = serviceNameSchema.safeParse(body.gitUrl);
    if (known.success) {
      const found = await part(platform.get('builder', pathOf('services', known.data), serviceViewSchema));
      if (found.ok) return { to: pathOf('start', found.value.name) };
    }
    return { to: await planPathOf(platform, newServiceOf(body)) };
  },
});

export const start: WebModule = {
  pages: [startPage, planPage, newPlanPage],
  actions: [showPlan, deployNew, configureNew],
};
