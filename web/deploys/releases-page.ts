import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { type ListedRelease, listedReleaseSchema } from '../../domain/deploys/schema.ts';
import type { Environment } from '../../domain/environment.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { badge } from '../look/badge.ts';
import { card, emptyState, facts, pagination } from '../look/components.ts';
import { environmentFilter } from '../look/environment-filter.ts';
import { confirmForm } from '../look/forms.ts';
import { ago } from '../look/time.ts';
import { definePage, type PageContext } from '../page.ts';
import { pathOf } from '../platform/platform.ts';
import { serviceCrumbs } from '../services/service-crumbs.ts';
import { commitText } from './build-words.ts';
import { cursorShape, serviceParams } from './builds-page.ts';

type Changes = NonNullable<ListedRelease['changes']>;
type Context = PageContext<{ readonly name: string }, { readonly environment: Environment }>;

/** What served, the newest first, with what each has that the one before did not; the way back to one. */
export const releasesPage = definePage({
  module: 'deploys',
  path: '/services/:name/releases',
  summary: 'The releases of a service and what differs from one to the next',
  under: '/services',
  tab: { of: 'service', label: 'Releases', order: 20 },
  params: serviceParams,
  query: z.object({ environment: environmentSchema.default('prod'), ...cursorShape }),
  load: ({ platform, params: { name }, query }) =>
    platform.get('builder', `${pathOf('services', name)}/releases`, pageSchema(listedReleaseSchema), {
      ...{ ...query, changes: true, limit: 10 },
    }),
  view: ({ items, nextCursor }, context) => {
    const { name } = context.params;
    const { environment } = context.query;
    const path = `${pathOf('services', name)}/releases`;
    const none = card(
      { title: 'Releases', flush: true },
      emptyState({
        icon: 'tag',
        title: `No releases in ${environment}`,
        text: 'A release is there after the first deploy that served.',
      }),
    );
    return {
      title: 'Releases',
      crumbs: serviceCrumbs(name),
      body: html`${environmentFilter(path, environment)}${items.length === 0 ? none : items.map((release) => releaseCard(release, context))}
${pagination(`${path}?environment=${environment}`, nextCursor)}`,
    };
  },
});

function releaseCard(release: ListedRelease, context: Context): Html {
  const { id, active, changes, activatedAt, buildId, imageDigest, commitSha } = release;
  const served =
    activatedAt === null ? 'never' : html`${active ? 'since' : 'last from'} ${ago(activatedAt, context.now())}`;
  return card(
    { title: id, beside: active ? badge('good', 'Serves now') : html`<span class="quiet">Served ${served}</span>` },
    html`<div class="columns split"><div>${changes === undefined || changes === null ? html`<p class="quiet">Nothing is kept of what was before it.</p>` : changesList(changes)}</div>
<div class="stack">${facts([
      ...(active ? [['Served', served] as const] : []),
      ...(commitSha === null ? [] : [['Commit', html`<code>${commitSha}</code>`] as const]),
      ['Build', html`<a href="${pathOf('builds', buildId)}">${buildId}</a>`],
      ['Image', html`<code>${imageDigest.replace(/^.*@/, '')}</code>`],
    ])}${!active && activatedAt !== null && rollbackForm(release, context)}</div></div>`,
  );
}

function rollbackForm({ id, environment, service }: ListedRelease, context: Context): Html {
  return confirmForm(context, {
    action: `${pathOf('services', service)}/rollback`,
    ...{ label: 'Roll back to it', icon: 'undo', button: 'Roll back' },
    question: html`This installs ${id} in ${environment} again: its image, its variables and its secrets as they were. It builds nothing.`,
    hidden: { environment, releaseId: id },
  });
}

/** What a release has that the one before it did not, by names. */
function changesList({ since, commit, notes, variables, scopes }: Changes): Html {
  const rows: (readonly [string, Html])[] = [
    ...(commit === null
      ? []
      : [['Commit', html`${commitText(commit.from) ?? 'unknown'} → ${commitText(commit.to) ?? 'unknown'}`] as const]),
    ...nameRows('Variables', variables.added, variables.removed, variables.changed),
    ...(scopes === null ? [] : nameRows('Scopes', scopes.added, scopes.removed)),
  ];
  if (rows.length === 0) return html`<p>The same commit, variables and scopes as ${since}.</p>`;
  return html`${facts(rows)}${notes !== null && html`<div class="release-notes" tabindex="0" role="region" aria-label="What is new since ${since}"><p class="small quiet">What is new</p><pre>${notes}</pre></div>`}
<p class="small quiet compared">Compared with ${since}</p>`;
}

function nameRows(
  what: string,
  added: readonly string[],
  removed: readonly string[],
  changed: readonly string[] = [],
): readonly (readonly [string, Html])[] {
  const lists = [
    ['added', added],
    ['changed', changed],
    ['removed', removed],
  ] as const;
  return lists.flatMap(([how, names]) =>
    names.length === 0
      ? []
      : [[`${what} ${how}`, html`${names.map((name, at) => html`${at > 0 && ', '}<code>${name}</code>`)}`] as const],
  );
}
