import { z } from 'zod';
import { html } from '../../api/http/pages/html.ts';
import { badge } from '../look/badge.ts';
import {
  card,
  codeBlock,
  copyable,
  emptyState,
  facts,
  linkButton,
  notice,
  pagination,
  table,
} from '../look/components.ts';
import { checkbox, confirmForm, field, form, select } from '../look/forms.ts';
import { ICON_NAMES, icon } from '../look/icons.ts';
import { lineNumber, logBox, logLine } from '../look/log-lines.ts';
import { ago, duration, moment } from '../look/time.ts';
import { defineAction, definePage, type PageContext, type WebModule } from '../page.ts';

const PATH = '/style-guide';
const COLOURS = ['ground', 'surface', 'sunken', 'line', 'accent', 'good', 'bad', 'warn', 'busy', 'quiet'] as const;

const stylePage = definePage({
  module: 'style-guide',
  path: PATH,
  summary: 'Every part that pages are made of',
  nav: { label: 'Style guide', icon: 'palette', group: 'platform', order: 90 },
  callers: { 'platform-admin': true },
  load: async () => null,
  view: (_data, context) => ({
    title: 'Style guide',
    lead: 'Every part that pages of the console are made of.',
    crumbs: [['Overview', '/']],
    beside: badge('good', 'Live'),
    buttons: html`${linkButton('#forms', 'Plain')}${linkButton('#forms', 'Primary', { icon: 'rocket', primary: true })}`,
    body: html`${states()}${messages(context)}${lists(context)}${forms(context)}${texts()}${logLines()}${colours()}${icons()}`,
  }),
});

function states() {
  return card(
    { title: 'States' },
    html`<p class="quiet">By icon, word and colour: none of them is needed to understand it.</p>
<div class="buttons">${badge('good', 'Live')}${badge('busy', 'Building')}${badge('warn', 'Degraded')}${badge('bad', 'Failed')}${badge('quiet', 'Stopped')}${badge('busy', 'Waits for a grant', 'clock')}</div>`,
  );
}

function messages({ now }: PageContext) {
  return html`${notice('info', html`<p>The plan has changed: the next deploy runs the tests as well.</p>`)}
${notice('good', html`<p>Deployed ${ago(now().toISOString(), now())}. <a href="${PATH}">Open the service</a></p>`)}
${notice('warn', html`<p>The health endpoint answers slowly.</p>`)}
${notice('bad', html`<p>The build failed at the step "Build the image".</p>`)}`;
}

function lists({ now }: PageContext) {
  const earlier = (seconds: number): string => new Date(now().getTime() - seconds * 1_000).toISOString();
  const columns = [
    { label: 'Service', kind: 'main' },
    { label: 'State' },
    { label: 'Released' },
    { label: 'Took', kind: 'number' },
  ] as const;
  const rows = [
    [
      html`<a href="${PATH}">shop</a><span class="sub">prod</span>`,
      badge('good', 'Live'),
      ago(earlier(180), now()),
      duration(42_000),
    ],
    [
      html`<a href="${PATH}">mailer</a><span class="sub">sandbox</span>`,
      badge('bad', 'Failed'),
      ago(earlier(8_000), now()),
      duration(200_000),
    ],
  ];
  return html`${card({ title: 'Table', beside: html`<a href="${PATH}">All</a>`, flush: true }, html`${table('Services', columns, rows)}${pagination(PATH, 'next')}`)}
<div class="columns even">${card(
    { title: 'Facts' },
    facts([
      ['Address', html`<a href="https://shop.example">shop.example</a>`],
      ['Commit', html`<code>8bbf4c7</code>`],
      ['Released', moment(earlier(86_400))],
    ]),
  )}${card({ title: 'Empty', flush: true }, emptyState({ icon: 'box', title: 'No services yet', text: 'A service is there after its first deploy.', action: linkButton('/start', 'Deploy a service', { primary: true }) }))}</div>`;
}

function forms(context: PageContext) {
  const fields = html`${field(context, { name: 'word', label: 'A word', hint: 'Small letters.', required: true })}
${select(context, {
  name: 'environment',
  label: 'Environment',
  choices: [
    ['prod', 'Production'],
    ['sandbox', 'Sandbox'],
  ],
})}
${field(context, { name: 'text', label: 'A longer text', rows: 3, mono: true })}
${checkbox(context, { name: 'sure', label: 'Skip the tests', hint: 'The release says so.' })}`;
  return card(
    { title: 'Forms', id: 'forms' },
    html`${form(context, { action: PATH, button: 'Try it', fields })}
<div class="buttons">${linkButton(PATH, 'A link')}${confirmForm(context, { action: PATH, label: 'Remove', icon: 'x', question: 'This removes the service and all it keeps.', button: 'Remove it', hidden: { word: 'removed' } })}</div>`,
  );
}

function texts() {
  return card(
    { title: 'Text' },
    html`<p>Text is set in the letters of the system. A <a href="${PATH}">link</a>, <strong>what matters</strong>, <code>a value</code>, and <span class="quiet">what is said beside it</span>.</p>
${codeBlock('An example', 'npm start\nfairlead deploy https://git.example/acme/shop')}
${copyable('the example', 'shop.example.com')}`,
  );
}

function logLines() {
  const lines = [
    { level: 'info', text: 'npm \u001b[33mwarn\u001b[0m deprecated \u001b[1minflight\u001b[0m' },
    { level: 'info', text: '\u001b[42m PASS \u001b[0m \u001b[36mcart\u001b[0m \u001b[2min 12 ms\u001b[0m' },
    { level: 'warn', text: 'The cache is cold' },
    { level: 'error', text: 'RUN npm ci ended with 1' },
  ] as const;
  return card(
    { title: 'Log', flush: true },
    logBox({
      label: 'An example of a log',
      lines: lines.map(({ level, text }, at) =>
        logLine({ before: lineNumber(at + 1, PATH), level, text, id: `L${at + 1}` }, 'cart'),
      ),
    }),
  );
}

function colours() {
  return card(
    { title: 'Colours' },
    html`<ul class="plain swatches">${COLOURS.map((name) => html`<li class="swatch swatch-${name}"><code>${name}</code></li>`)}</ul>`,
  );
}

function icons() {
  return card(
    { title: 'Icons' },
    html`<ul class="plain swatches">${ICON_NAMES.map((name) => html`<li>${icon(name)} <code class="small">${name}</code></li>`)}</ul>`,
  );
}

const tryForm = defineAction({
  module: 'style-guide',
  path: PATH,
  summary: 'Does nothing but answer, so that forms can be looked at',
  callers: { 'platform-admin': true },
  body: z.object({ word: z.string().regex(/^[a-z]+$/, 'small letters alone') }),
  back: () => `${PATH}#forms`,
  run: async ({ body }) => ({ to: PATH, notice: `The form was sent, with "${body.word}".` }),
});

export const styleGuide: WebModule = { pages: [stylePage], actions: [tryForm] };
