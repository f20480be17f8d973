import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { type HealthReply, healthReplySchema } from '../../domain/backups/backup-schema.ts';
import { environmentBadge } from '../deploys/build-row.ts';
import { card, emptyState, table } from '../look/components.ts';
import { ago } from '../look/time.ts';
import { definePage, type PageContext } from '../page.ts';
import { keptCard, loadKept } from './kept-card.ts';
import { backupBadge, databaseLabel, databasesPath, isWithoutBackup, stateBadge } from './words.ts';

export const HEALTH_PATH = '/databases';
/** Rows of a page; those that somebody has to look at come first. */
const ROWS_SHOWN = 200;

type Row = HealthReply['databases'][number];

/** Every database that the person may see, the worst first; of all orgs for platform admins. */
export const healthPage = definePage({
  module: 'backups',
  path: HEALTH_PATH,
  summary: 'How the databases are backed up, the worst first',
  nav: { label: 'Databases', icon: 'database', group: 'work', order: 15 },
  callers: { 'platform-admin': true, user: 'viewer' },
  query: z.object({ from: z.coerce.number().int().min(0).max(1_000_000).default(0) }),
  load: async (context) => {
    const health = context.platform.get('builder', '/databases/backups/health', healthReplySchema);
    const [{ databases }, kept] = await Promise.all([health, loadKept(context, null)]);
    return { databases, kept };
  },
  view: ({ databases, kept }, context) => {
    const shown = databases.slice(context.query.from, context.query.from + ROWS_SHOWN);
    const next = context.query.from + ROWS_SHOWN;
    return {
      title: 'Databases',
      lead: leadOf(databases),
      body: html`${card(
        { flush: true },
        shown.length === 0
          ? nothingYet()
          : html`${healthTable(shown, context)}${
              next < databases.length &&
              html`<nav class="pagination" aria-label="Pages"><a class="button" href="${HEALTH_PATH}?from=${next}" rel="next">More</a></nav>`
            }`,
      )}${keptCard(kept)}`,
    };
  },
});

function leadOf(databases: readonly Row[]): string {
  const bad = databases.filter(isWithoutBackup).length;
  if (databases.length === 0) return 'How each database is backed up.';
  if (bad === 0) return `All ${databases.length} have a fresh backup.`;
  return `${bad} of ${databases.length} ${bad === 1 ? 'has' : 'have'} no fresh backup, or lost the newest night.`;
}

function nothingYet(): Html {
  const text =
    'A database is here from its first backup on: the night after its service was deployed, or when somebody asks. One that has none after 36 hours is here as well.';
  return emptyState({ icon: 'database', title: 'No database was backed up yet', text });
}

const COLUMNS = [
  { label: 'Database', kind: 'main' },
  { label: 'State' },
  { label: 'Last backup' },
  { label: 'Last proof' },
  { label: 'Last night' },
] as const;

/** @param columns all of them, unless the place is small */
export function healthTable(rows: readonly Row[], context: Pick<PageContext, 'now' | 'person'>): Html {
  const now = context.now();
  const showsOrg = context.person.kind === 'platform-admin';
  return table(
    'Databases, the worst first',
    COLUMNS,
    rows.map((row) => [
      nameCell(row, showsOrg),
      stateBadge(row),
      row.lastCompletedAt === null ? html`<span class="quiet">None in 14 days</span>` : ago(row.lastCompletedAt, now),
      row.lastVerifiedAt === null ? html`<span class="quiet">None in 14 days</span>` : ago(row.lastVerifiedAt, now),
      nightCell(row),
    ]),
  );
}

function nameCell(row: Row, showsOrg: boolean): Html {
  const { service, environment, org } = row;
  const name =
    service === null || org === null
      ? databaseLabel(row)
      : html`<a href="${databasesPath(service)}">${databaseLabel(row)}</a>`;
  const whose =
    service === null ? 'of no service' : org === null ? `of ${service}, which was removed` : showsOrg && org;
  return html`${name} ${environment !== null && environmentBadge(environment)}${whose !== false && html`<span class="sub">${whose}</span>`}`;
}

function nightCell({ lastNight }: Row): Html | null {
  if (lastNight === null) return null;
  const { night, status, reason } = lastNight;
  return html`<div>${backupBadge(status)} <span class="small">${night}</span>${reason !== null && html`<span class="sub">${reason}</span>`}</div>`;
}

/** On the overview: databases that somebody has to look at; nothing where there are none. */
export function withoutBackup(databases: readonly Row[], context: Pick<PageContext, 'now' | 'person'>): Html | false {
  const bad = databases.filter(isWithoutBackup);
  if (bad.length === 0) return false;
  const beside = html`<a href="${HEALTH_PATH}">All databases</a>`;
  return card(
    { title: 'Databases without a fresh backup', flush: true, beside },
    healthTable(bad.slice(0, 20), context),
  );
}
