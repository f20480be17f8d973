import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { CONNECTION_LIMITS } from '../../domain/git-hooks/connection.ts';
import {
  type ConnectionView,
  connectionViewSchema,
  deliveryViewSchema,
} from '../../domain/git-hooks/git-hook-schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { badge } from '../look/badge.ts';
import { card, emptyState, facts, notice, pagination, partCard } from '../look/components.ts';
import { confirmForm, field, form, select } from '../look/forms.ts';
import { ago, moment } from '../look/time.ts';
import { definePage, type PageContext } from '../page.ts';
import { part } from '../platform/part.ts';
import { pathOf } from '../platform/platform.ts';
import { params } from './connection-actions.ts';
import {
  changesConnections,
  connectionApi,
  connectionPath,
  lastDelivery,
  PATH,
  PROVIDER_WORDS,
  READERS,
  ruleText,
  sentence,
  stateBadges,
} from './connection-words.ts';
import { deliveryTable } from './delivery-table.ts';
import { ruleFields } from './rule-fields.ts';

const DELIVERIES = pageSchema(deliveryViewSchema);

/** One connection: its settings, and what was delivered. */
export const connectionPage = definePage({
  module: 'git-hooks',
  path: `${PATH}/:id`,
  summary: 'One connected repository: rules, secrets, deliveries',
  callers: READERS,
  params,
  query: z.strictObject({ cursor: z.string().max(500).optional() }),
  load: async ({ platform, params: { id }, query: { cursor } }) => {
    const [connection, deliveries] = await Promise.all([
      platform.get('builder', connectionApi(id), connectionViewSchema),
      part(platform.get('builder', connectionApi(id, 'deliveries'), DELIVERIES, { cursor, limit: 20 })),
    ]);
    return { connection, deliveries };
  },
  people: ({ connection }) => ({ ids: [connection.createdBy] }),
  view: ({ connection, deliveries }, context) => {
    const changes = changesConnections(context);
    const here = connectionPath(connection.id);
    return {
      title: connection.repository.replace(/^https?:\/\//, ''),
      crumbs: [['Push deploys', PATH]],
      beside: stateBadges(connection),
      body: html`${notices(connection)}
<div class="columns"><div>${partCard({ title: 'Deliveries', flush: true }, deliveries, ({ items, nextCursor }) =>
        items.length === 0
          ? emptyState({
              icon: 'branch',
              title: 'Nothing was delivered',
              text: 'Deliveries of thirty days are listed here, with what each deployed or why not.',
            })
          : html`${deliveryTable(items, context)}${pagination(here, nextCursor)}`,
      )}${rulesCard(connection, changes, context)}</div>
<div>${lookCard(connection, context)}${aboutCard(connection, context)}${changes && html`${connection.canDeliver && secretsCard(connection, context)}${tokenCard(connection, context)}${pollCard(connection, context)}${dangerCard(connection, context)}`}</div></div>`,
    };
  },
});

function notices({ paused, proof, tokenProblem, silentDays, refusedDeliveries, lastRefusedAt }: ConnectionView): Html {
  return html`${
    silentDays !== null &&
    notice(
      'warn',
      html`<p>No delivery for ${silentDays} days although the hook is registered. Where somebody pushed meanwhile, the git host lists its own deliveries at the webhook, with the answers.</p>`,
    )
  }${
    refusedDeliveries > 0 &&
    lastRefusedAt !== null &&
    notice(
      'warn',
      html`<p>${refusedDeliveries === 1 ? 'One delivery was' : `${refusedDeliveries} deliveries were`} refused since the last genuine one, the last ${moment(lastRefusedAt)}: nothing proved where they came from. Where the git host sent them, its secret is another one: rotate it.</p>`,
    )
  }${paused && notice('warn', html`<p>Paused: pushes deploy nothing.</p>`)}${
    tokenProblem !== null &&
    notice(
      'bad',
      html`<p>The git host refused the API token ${moment(tokenProblem.at)}: ${sentence(tokenProblem.message)} Builds go on without statuses at the commits.</p>`,
    )
  }${proof === 'token' && notice('warn', html`<p>Weaker proof: GitLab sends a plain token, which proves nothing about what was sent. Builds of its pushes belong to no person.</p>`)}`;
}

function rulesCard({ id, services }: ConnectionView, changes: boolean, context: PageContext): Html {
  const rows = services.flatMap(({ service, rules }) =>
    rules.map(
      (rule) =>
        html`<li><span class="row-main"><a href="${pathOf('services', service)}">${service}</a><span class="sub">${ruleText(rule)}</span></span>${
          changes &&
          confirmForm(context, {
            ...{ action: connectionPath(id, 'services', service, 'rules', 'remove'), label: 'Remove' },
            ...{ button: 'Remove it', hidden: { rule: JSON.stringify(rule) } },
            question: `Such pushes do not deploy ${service} any more. Without any rule it is not connected.`,
          })
        }</li>`,
    ),
  );
  return card(
    { title: 'Services and rules', flush: true },
    html`<ul class="rows">${rows}</ul>${
      changes &&
      html`<div class="inset">${form(context, {
        ...{ action: connectionPath(id, 'rules'), button: 'Add the rule', icon: 'plus', tone: 'plain' },
        fields: (own) =>
          html`${select(own, {
            ...{ name: 'service', label: 'One more rule for' },
            choices: services.map(({ service }) => [service, service] as const),
          })}${ruleFields(own, '* stands for any characters.', true)}`,
      })}</div>`
    }`,
  );
}

function lookCard({ id }: ConnectionView, context: PageContext): Html {
  return card(
    { title: 'Look now' },
    form(context, {
      ...{ action: connectionPath(id, 'look'), button: 'Look now', icon: 'search', tone: 'plain' },
      fields: (own) =>
        field(own, {
          name: 'ref',
          label: 'Branch or tag',
          mono: true,
          placeholder: 'refs/heads/main',
          hint: 'As after a push. Left empty: all that rules match.',
        }),
    }),
  );
}

function aboutCard(connection: ConnectionView, { who, now }: PageContext): Html {
  const { repository, provider, proof, hookUrl, hookRegistered, canDeliver, apiUrl, createdAt, createdBy } = connection;
  return card(
    { title: 'About' },
    facts([
      ['Repository', html`<code>${repository}</code>`],
      ['Git host', PROVIDER_WORDS[provider]],
      ...(apiUrl === null ? [] : [['Its API', html`<code>${apiUrl}</code>`] as const]),
      [
        'Proof of deliveries',
        proof === 'token' ? badge('warn', 'Plain token, weaker', 'shield') : badge('good', 'Signature', 'shield'),
      ],
      [
        'Hook',
        canDeliver
          ? html`<code>${hookUrl}</code><span class="sub">${hookRegistered ? 'registered by the platform' : 'to be set up by hand'}</span>`
          : html`<span class="quiet">none: nothing can deliver its pushes</span>`,
      ],
      ['Last genuine delivery', lastDelivery(connection, now())],
      ['Connected', html`${moment(createdAt)} by ${who(createdBy)}`],
    ]),
  );
}

function secretsCard({ id, secrets }: ConnectionView, context: PageContext): Html {
  const rows = secrets.map(
    (secret) =>
      html`<li><span class="row-main">Made ${ago(secret.createdAt, context.now())}<span class="sub">Number <code>${secret.id}</code></span></span></li>`,
  );
  return card(
    { title: 'Secret of the hook', flush: true },
    html`<ul class="rows">${rows}</ul><div class="inset">${
      secrets.length < 2
        ? confirmForm(context, {
            ...{
              action: connectionPath(id, 'rotate'),
              label: 'Rotate',
              icon: 'key',
              button: 'Make a second one',
              tone: 'plain',
            },
            question:
              'Both are good until you take the older one away. The new one is shown once, unless the platform registers it by the token.',
          })
        : confirmForm(context, {
            ...{
              action: connectionPath(id, 'rotate', 'finish'),
              label: 'Take the older one away',
              icon: 'x',
              button: 'Take it away',
            },
            question: 'Deliveries that are signed with it are refused from now on.',
          })
    }</div>`,
  );
}

function tokenCard({ id, hasToken, provider }: ConnectionView, context: PageContext): Html {
  return card(
    { title: 'API token' },
    html`<div class="stack"><p class="quiet">${hasToken ? 'A token is kept. Nobody can read it.' : 'None: commits do not show how deploys go.'}</p>
${form(context, {
  ...{ action: connectionPath(id, 'token'), button: hasToken ? 'Replace it' : 'Keep it', tone: 'plain' },
  fields: (own) =>
    field(own, {
      name: 'token',
      label: `New token of ${PROVIDER_WORDS[provider]}`,
      type: 'password',
      mono: true,
      required: true,
      hint: 'The hook is registered by it.',
    }),
})}
${
  hasToken &&
  confirmForm(context, {
    ...{ action: connectionPath(id, 'token', 'remove'), label: 'Take it away', icon: 'x', button: 'Take it away' },
    question: 'Commits do not show how deploys go any more. The hook stays.',
  })
}</div>`,
  );
}

function pollCard({ id, pollMinutes }: ConnectionView, context: PageContext): Html {
  const { min, max } = CONNECTION_LIMITS.pollMinutes;
  return card(
    { title: 'Polling' },
    form(context, {
      ...{ action: connectionPath(id, 'poll'), button: 'Save', tone: 'plain' },
      fields: (own) =>
        field(own, {
          ...{ name: 'pollMinutes', label: 'Minutes between two looks', type: 'number' },
          ...{ value: pollMinutes === null ? '' : String(pollMinutes) },
          hint: `${min} to ${max}, where no hook can arrive. Left empty: none. The first delivery ends it.`,
        }),
    }),
  );
}

function dangerCard({ id, paused, hasToken }: ConnectionView, context: PageContext): Html {
  const pause = paused
    ? form(context, { action: connectionPath(id, 'resume'), button: 'Resume', icon: 'check' })
    : form(context, { action: connectionPath(id, 'pause'), button: 'Pause', icon: 'pause', tone: 'plain' });
  const disconnect = confirmForm(context, {
    ...{ action: connectionPath(id, 'disconnect'), label: 'Disconnect', icon: 'x', button: 'Disconnect it' },
    question: hasToken
      ? 'After this, a push deploys nothing. What runs goes on running. The webhook is deleted at the git host, and the list of deliveries here.'
      : 'After this, a push deploys nothing. What runs goes on running. The list of deliveries is deleted; delete the webhook at the git host yourself.',
  });
  return card({ title: 'Pause or disconnect' }, html`<div class="stack">${pause}${disconnect}</div>`);
}
