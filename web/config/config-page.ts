import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { type ConfigView, configHistoryEntrySchema, configViewSchema } from '../../domain/config/config-schema.ts';
import { HIDDEN_SECRET } from '../../domain/config/sealed-secret.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { hasOrgRole } from '../../domain/roles.ts';
import { badge } from '../look/badge.ts';
import { card, emptyState, linkButton, notice, pagination, partCard, table } from '../look/components.ts';
import { confirmForm, type FormContext, field, form, select } from '../look/forms.ts';
import { ago } from '../look/time.ts';
import { definePage, type PageContext } from '../page.ts';
import { part } from '../platform/part.ts';
import { pathOf } from '../platform/platform.ts';
import { serviceCrumbs } from '../services/service-crumbs.ts';

export const serviceParams = z.strictObject({ name: z.string().min(1).max(64) });

export function configPath(service: string): string {
  return pathOf('services', service, 'config');
}

type Variable = ConfigView['variables'][number];
type Pending = ConfigView['pending'][number];
type Context = PageContext<{ readonly name: string }, { readonly set?: string | undefined }>;

const historySchema = pageSchema(configHistoryEntrySchema);

/** Variables and secrets of a service: what is set, what is missing, what waits for the next deploy, who changed what. */
export const configPage = definePage({
  module: 'config',
  path: '/services/:name/config',
  summary: 'Variables and secrets of a service',
  under: '/services',
  tab: { of: 'service', label: 'Config', order: 30 },
  params: serviceParams,
  query: z.object({ set: z.string().max(100).optional(), cursor: z.string().min(1).max(500).optional() }),
  load: async ({ platform, params: { name }, query: { cursor } }) => {
    const path = configPath(name);
    const [config, history] = await Promise.all([
      platform.get('builder', path, configViewSchema),
      part(platform.get('builder', `${path}/history`, historySchema, { cursor, limit: 20 })),
    ]);
    return { config, history };
  },
  people: ({ config, history }) => ({
    ids: [
      ...config.variables.map(({ changedBy }) => changedBy),
      ...(history.ok ? history.value.items.map(({ changedBy }) => changedBy) : []),
    ],
  }),
  view: ({ config, history }, context) => {
    const { name } = context.params;
    return {
      title: 'Config',
      crumbs: serviceCrumbs(name),
      lead: 'Secrets are stored encrypted and are never shown again.',
      body: html`${missingNotice(config)}${config.pending.map((pending) => pendingNotice(pending))}
${variablesCard(config, context)}${declaredCard(config, context)}${setCard(config, context)}
${partCard({ title: 'History', flush: true }, history, (page) => historyTable(page, context))}`,
    };
  },
});

/** The service decides who may; this leaves out what it would refuse. */
function mayChange({ person }: Pick<Context, 'person'>): boolean {
  return person.kind === 'platform-admin' || (person.role !== null && hasOrgRole([person.role], 'member'));
}

function missingNotice({ declared, variables }: ConfigView): Html | false {
  const missing = declared.filter(
    ({ name, required, hasDefault }) => required && !hasDefault && !isSet(variables, name),
  );
  if (missing.length === 0) return false;
  return notice(
    'warn',
    html`<p>${missing.length === 1 ? 'A required variable has' : 'Required variables have'} no value: ${nameList(missing.map(({ name }) => name))}. The next deploy fails without.</p>`,
  );
}

const isSet = (variables: ConfigView['variables'], wanted: string): boolean =>
  variables.some(({ name }) => name === wanted);

function nameList(names: readonly string[]): Html {
  return html`${names.map((name, at) => html`${at > 0 && ', '}<code>${name}</code>`)}`;
}

function pendingNotice({ environment, added, changed, removed }: Pending): Html {
  const text = changeText([
    ['new', added],
    ['changed', changed],
    ['removed', removed],
  ]);
  return notice('info', html`<p>At the next deploy to ${environment}: ${text}.</p>`);
}

/** Such as `set A, B; removed C`. */
function changeText(lists: readonly (readonly [how: string, names: readonly string[]])[]): Html {
  const said = lists.filter(([, names]) => names.length > 0);
  return html`${said.map(([how, names], at) => html`${at > 0 && '; '}${how} ${nameList(names)}`)}`;
}

function variablesCard(config: ConfigView, context: Context): Html {
  const { variables } = config;
  const title = `Variables of ${context.params.name}`;
  if (variables.length === 0) {
    const text = 'Values that are set here are given to the service in its environment.';
    return card({ title, flush: true }, emptyState({ icon: 'sliders', title: 'No variables are set', text }));
  }
  const columns = [
    { label: 'Name', kind: 'main' },
    { label: 'Value' },
    { label: 'For' },
    { label: 'Changed' },
    { label: 'Actions', kind: 'actions' },
  ] as const;
  return card(
    { title, flush: true },
    table(
      'Variables',
      columns,
      variables.map((one) => variableRow(one, config, context)),
    ),
  );
}

function variableRow(variable: Variable, { pending }: ConfigView, context: Context) {
  const { name, secret, value, environment, changedAt, changedBy, origin } = variable;
  const waits = pending
    .filter((one) => environment === null || one.environment === environment)
    .some(({ added, changed }) => added.includes(name) || changed.includes(name));
  const shown =
    value === HIDDEN_SECRET
      ? html`<span class="quiet">${secret ? 'secret' : 'hidden'}</span>`
      : html`<code>${value}</code>`;
  return [
    html`<code>${name}</code>`,
    html`<div>${shown}${origin !== null && html`<span class="sub">copied from ${origin.name}</span>`}${waits && html` ${badge('busy', 'At the next deploy', 'clock')}`}</div>`,
    environment ?? 'all',
    changedAt === null
      ? null
      : html`<div>${ago(changedAt, context.now())}${changedBy !== null && html`<span class="sub">by ${context.who(changedBy)}</span>`}</div>`,
    mayChange(context) &&
      html`<div class="buttons">${linkButton(`${configPath(context.params.name)}?set=${encodeURIComponent(name)}#set`, 'Change')}${confirmForm(
        context,
        {
          action: `${configPath(context.params.name)}/unset`,
          ...{ label: 'Remove', button: 'Remove it' },
          question: html`The next deploy runs without ${name}. Its value is not kept.`,
          hidden: { name, environment: environment ?? 'all' },
        },
      )}</div>`,
  ];
}

function declaredCard({ declared, variables }: ConfigView, context: Context): Html | false {
  if (declared.length === 0) return false;
  const columns = [
    { label: 'Name', kind: 'main' },
    { label: 'Kind' },
    { label: 'Value' },
    { label: 'Actions', kind: 'actions' },
  ] as const;
  const rows = declared.map(({ name, secret, required, hasDefault }) => {
    const set = isSet(variables, name);
    const state = set
      ? badge('good', 'Set')
      : hasDefault
        ? badge('quiet', 'Default of the catalog')
        : required
          ? badge('bad', 'Missing')
          : badge('quiet', 'Not set');
    const kind = [required ? 'required' : 'optional', secret ? 'secret' : 'plain'].join(', ');
    const link = `${configPath(context.params.name)}?set=${encodeURIComponent(name)}#set`;
    return [html`<code>${name}</code>`, kind, state, !set && mayChange(context) && linkButton(link, 'Set')];
  });
  return card({ title: 'Declared by the catalog', flush: true }, table('Declared variables', columns, rows));
}

function setCard({ variables, declared }: ConfigView, context: Context): Html | false {
  if (!mayChange(context)) return false;
  const wanted = context.query.set ?? '';
  const known = variables.find(({ name }) => name === wanted);
  const isPlain = (known ?? declared.find(({ name }) => name === wanted))?.secret === false;
  const fields = (
    own: FormContext,
  ) => html`<div class="field-row">${field(own, { name: 'name', label: 'Name', value: wanted, required: true, mono: true, placeholder: 'API_KEY' })}
${select(own, { name: 'environment', label: 'For', value: known?.environment ?? 'all', choices: [['all', 'All environments'], ...ENVIRONMENTS.map((name) => [name, name] as const)] })}
${select(own, {
  name: 'kind',
  label: 'Kind',
  value: isPlain ? 'plain' : 'secret',
  choices: [
    ['secret', 'Secret'],
    ['plain', 'Plain text'],
  ],
})}</div>
${field(own, { name: 'value', label: 'Value', rows: 3, mono: true, hint: 'The value of a secret can be replaced, and not read again.' })}`;
  return card(
    { title: 'Set a variable', id: 'set' },
    form(context, { action: `${configPath(context.params.name)}/set`, button: 'Store', fields }),
  );
}

function historyTable({ items, nextCursor }: z.output<typeof historySchema>, context: Context): Html {
  if (items.length === 0) return html`<p class="quiet">Nobody has changed a variable yet.</p>`;
  const columns = [{ label: 'When', kind: 'main' }, { label: 'Who' }, { label: 'For' }, { label: 'What' }] as const;
  const rows = items.map(({ at, changedBy, environment, set, setSecret, unset, made }) => [
    ago(at, context.now()),
    context.who(changedBy),
    environment ?? 'all',
    html`<div>${changeText([
      ['set', set],
      ['secret', setSecret],
      ['removed', unset],
    ])}${!made && html` ${badge('warn', 'Not known to have taken effect')}`}</div>`,
  ]);
  return html`${table('Changes of variables', columns, rows)}${pagination(configPath(context.params.name), nextCursor)}`;
}
