import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import {
  type BackupView,
  backupViewSchema,
  type DatabasesReply,
  type DatabaseView,
  databasesReplySchema,
  type RestoreView,
  restoreViewSchema,
} from '../../domain/backups/backup-schema.ts';
import { nightOf } from '../../domain/backups/night.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { environmentBadge } from '../deploys/build-row.ts';
import { pollRegions } from '../live/poll.ts';
import { badge } from '../look/badge.ts';
import { card, codeBlock, emptyState, facts, liveRegion, pagination, partCard, table } from '../look/components.ts';
import { form } from '../look/forms.ts';
import { ago, exact } from '../look/time.ts';
import { mayChange } from '../members.ts';
import { definePage, type PageContext } from '../page.ts';
import { type Part, part } from '../platform/part.ts';
import { serviceCrumbs } from '../services/service-crumbs.ts';
import { keptCard, loadKept } from './kept-card.ts';
import { rememberNames } from './names.ts';
import { nightCalendar } from './night-calendar.ts';
import {
  backupBadge,
  backupPath,
  databaseLabel,
  databasesPath,
  PHASES,
  proofBadge,
  restoreBadge,
  restorePath,
  size,
  stateBadge,
} from './words.ts';

export const serviceParams = z.strictObject({ name: z.string().min(1).max(64) });

const BACKUPS = pageSchema(backupViewSchema);
const RESTORES = pageSchema(restoreViewSchema);
const BACKUPS_SHOWN = 30;
const RESTORES_SHOWN = 5;
const LOOK_MS = 3_000;

const DECLARATION = `spec:
  databases:
    - type: postgres`;

type Context = PageContext<{ readonly name: string }, { readonly cursor?: string | undefined }>;
type Backups = z.output<typeof BACKUPS>;

interface Lists {
  readonly backups: Part<Backups>;
  readonly restores: Part<{ readonly items: readonly RestoreView[] }>;
}

async function loadLists({ platform, params: { name }, query: { cursor } }: Context): Promise<Lists> {
  const path = databasesPath(name);
  const [backups, restores] = await Promise.all([
    part(platform.get('builder', `${path}/backups`, BACKUPS, { limit: BACKUPS_SHOWN, cursor })),
    part(platform.get('builder', `${path}/restores`, RESTORES, { limit: RESTORES_SHOWN })),
  ]);
  return { backups, restores };
}

/** Databases of a service: how each is backed up, its nights, its backups and restores. */
export const databasesPage = definePage({
  module: 'backups',
  path: '/services/:name/databases',
  summary: 'Databases of a service with their backups and restores',
  under: '/services',
  tab: { of: 'service', label: 'Databases', order: 35 },
  params: serviceParams,
  query: z.object({ cursor: z.string().min(1).max(500).optional() }),
  load: async (context: Context) => {
    const path = databasesPath(context.params.name);
    const [databases, lists, kept] = await Promise.all([
      context.platform.get('builder', path, databasesReplySchema),
      loadLists(context),
      loadKept(context, context.params.name),
    ]);
    return { ...databases, ...lists, kept };
  },
  people: (lists) => ({ ids: namedIn(lists) }),
  view: (shown, context) => {
    const { name } = context.params;
    return {
      title: 'Databases',
      crumbs: serviceCrumbs(name),
      lead: 'Databases are backed up each night, unless it says otherwise. Within a week a backup of each is restored for proof.',
      body: html`${shown.databases.length + shown.notBackedUp.length === 0 ? nothingDeclared() : shown.databases.map((database) => databaseCard(database, shown, context))}
${shown.notBackedUp.map(notBackedUpCard)}${keptCard(shown.kept)}
${liveRegion('restores', restoresCard(shown, context), 'polite')}${liveRegion('backups', backupsCard(shown, context))}`,
    };
  },
  live: (opened) => {
    const namesOf = rememberNames(opened);
    return pollRegions(opened, LOOK_MS, async () => {
      const lists = await loadLists(opened);
      const context = { ...opened, who: await namesOf(namedIn(lists)) };
      return { restores: html`${restoresCard(lists, context)}`, backups: backupsCard(lists, context) };
    });
  },
});

function namedIn({ backups, restores }: Lists): readonly string[] {
  return [backups, restores].flatMap((list) => (list.ok ? list.value.items.map(({ requestedBy }) => requestedBy) : []));
}

function nothingDeclared(): Html {
  const text =
    'A service that declares a database in its catalog gets one with its next deploy. Where one was declared and is not here, the last build says why.';
  return card(
    { title: 'Databases of the service', flush: true },
    html`${emptyState({ icon: 'database', title: 'No databases', text, action: codeBlock('catalog-info.yaml', DECLARATION) })}`,
  );
}

function databaseCard(database: DatabaseView, { nextNightAt }: DatabasesReply, context: Context): Html {
  const { environment, engine, lastCompletedAt, lastVerifiedAt, lastNight, nights } = database;
  const now = context.now();
  const of = databaseLabel(database);
  const night =
    lastNight === null
      ? html`<span class="quiet">None yet</span>`
      : html`${backupBadge(lastNight.status)} <span>${lastNight.night}</span>${lastNight.reason !== null && html`<span class="sub">${lastNight.reason}</span>`}`;
  const rows = [
    ['Last backup', lastCompletedAt === null ? html`<span class="quiet">Never</span>` : ago(lastCompletedAt, now)],
    [
      'Last restored for proof',
      lastVerifiedAt === null ? html`<span class="quiet">Never</span>` : ago(lastVerifiedAt, now),
    ],
    ['Last night', night],
    ['Next night', nextNightAt === null ? 'Off: BACKUP_ENABLED is false' : exact(nextNightAt)],
  ] as const;
  const backUp = form(context, {
    action: `${databasesPath(context.params.name)}/backup`,
    ...{ button: 'Back up now', icon: 'database', tone: 'plain' },
    hidden: { engine, environment: environment ?? '' },
  });
  return card(
    {
      title: of,
      id: `database-${engine}-${environment ?? ''}`,
      beside: html`<span class="database-state">${environment !== null && environmentBadge(environment)}${stateBadge(database)}</span>`,
    },
    html`<div class="columns even"><div>${facts(rows)}${mayChange(context) && html`<div class="card-actions">${backUp}</div>`}</div>
<div>${nightCalendar({ service: context.params.name, of, nights, until: nightOf(now) })}</div></div>`,
  );
}

function notBackedUpCard(database: DatabasesReply['notBackedUp'][number]): Html {
  const { engine, environment, reason } = database;
  return card(
    {
      title: databaseLabel(database),
      id: `database-${engine}-${environment}`,
      beside: html`<span class="database-state">${environmentBadge(environment)}${badge('quiet', 'No backups')}</span>`,
    },
    html`<p class="quiet">${reason}.</p>`,
  );
}

/** Nothing where there never was a restore. */
function restoresCard({ restores }: Lists, context: Context): Html | null {
  if (restores.ok && restores.value.items.length === 0) return null;
  return partCard({ title: 'Restores', flush: true }, restores, ({ items }) =>
    table(
      'Restores, newest first',
      [{ label: 'Restore', kind: 'main' }, { label: 'Status' }, { label: 'Database' }, { label: 'Begun' }],
      items.map((restore) => restoreRow(restore, context)),
    ),
  );
}

function restoreRow(restore: RestoreView, { params: { name }, now, who }: Context) {
  const { restoreId, status, phase, mode, bytesRead, startedAt, requestedBy, environment } = restore;
  const running = status === 'running' && html`<span class="sub">${PHASES[phase]}, ${size(bytesRead)} read</span>`;
  return [
    html`<a href="${restorePath(name, restoreId)}">${mode === 'swap' ? 'Into a new database' : 'In place'}</a>`,
    html`<div>${restoreBadge(status)}${running}</div>`,
    html`<div>${databaseLabel(restore)} ${environment !== null && environmentBadge(environment)}</div>`,
    html`<div>${ago(startedAt, now())}<span class="sub">by ${who(requestedBy)}</span></div>`,
  ];
}

const BACKUP_COLUMNS = [
  { label: 'Begun', kind: 'main' },
  { label: 'Status' },
  { label: 'Database' },
  { label: 'Kind' },
  { label: 'Proof' },
  { label: 'Size', kind: 'number' },
] as const;

function backupsCard({ backups }: Lists, context: Context): Html {
  return partCard({ title: 'Backups', flush: true }, backups, ({ items, nextCursor }) =>
    items.length === 0
      ? html`<p class="quiet">There is no backup yet.</p>`
      : html`${table(
          'Backups, newest first',
          BACKUP_COLUMNS,
          items.map((backup) => backupRow(backup, context)),
        )}${pagination(databasesPath(context.params.name), nextCursor)}`,
  );
}

function backupRow(backup: BackupView, { params: { name }, who }: Context) {
  const { backupId, status, startedAt, environment, kind, tier, error, sizeBytes, requestedBy } = backup;
  const made = kind === 'nightly' ? tier : kind === 'safety' ? 'before a restore' : html`by ${who(requestedBy)}`;
  return [
    html`<a href="${backupPath(name, backupId)}">${exact(startedAt)}</a>`,
    html`<div>${backupBadge(status)}${error !== null && html`<span class="sub">${error}</span>`}</div>`,
    html`<div>${databaseLabel(backup)} ${environment !== null && environmentBadge(environment)}</div>`,
    html`<div>${made}</div>`,
    proofBadge(backup),
    size(sizeBytes),
  ];
}
