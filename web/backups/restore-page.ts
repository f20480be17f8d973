import { z } from 'zod';
import { admits } from '../../api/http/allowed-callers.ts';
import { type Html, type HtmlValue, html } from '../../api/http/pages/html.ts';
import { type RestoreView, restoreViewSchema } from '../../domain/backups/backup-schema.ts';
import { environmentBadge } from '../deploys/build-row.ts';
import { pollRegions } from '../live/poll.ts';
import { card, facts, liveRegion, notice } from '../look/components.ts';
import { form } from '../look/forms.ts';
import { ago, exact } from '../look/time.ts';
import { definePage, type PageContext } from '../page.ts';
import { serviceCrumbs } from '../services/service-crumbs.ts';
import { serviceParams } from './databases-page.ts';
import { rememberNames } from './names.ts';
import { backupPath, databaseLabel, databasesPath, PHASES, restoreBadge, restorePath, size } from './words.ts';

export const restoreParams = serviceParams.extend({ restoreId: z.string().min(1).max(64) });
const LOOK_MS = 2_000;

type Context = PageContext<z.output<typeof restoreParams>>;

const load = ({ platform, params: { name, restoreId } }: Context): Promise<RestoreView> =>
  platform.get('builder', restorePath(name, restoreId), restoreViewSchema);

/** One restore: what it does now, and what became of it. */
export const restorePage = definePage({
  module: 'backups',
  path: '/services/:name/databases/restores/:restoreId',
  summary: 'One restore of a database',
  under: '/services',
  params: restoreParams,
  load,
  people: ({ requestedBy }) => ({ ids: [requestedBy] }),
  view: (restore, context) => {
    const { name } = context.params;
    return {
      title: `Restore of ${restore.databaseName}`,
      crumbs: serviceCrumbs(name, ['Databases', databasesPath(name)]),
      beside: liveRegion('status', restoreBadge(restore.status), 'polite'),
      lead: html`${databaseLabel(restore)} ${restore.environment !== null && environmentBadge(restore.environment)}`,
      live: restore.status === 'running' ? {} : null,
      body: liveRegion('restore', body(restore, context)),
    };
  },
  live: (opened) => {
    const namesOf = rememberNames(opened);
    return pollRegions(opened, LOOK_MS, async () => {
      const restore = await load(opened);
      const context = { ...opened, who: await namesOf([restore.requestedBy]) };
      return { status: restoreBadge(restore.status), restore: body(restore, context) };
    });
  },
});

function body(restore: RestoreView, context: Context): Html {
  const { status, error, errorCode } = restore;
  return html`${error !== null && notice('bad', html`<p><strong>${errorCode}</strong>: ${error}.</p>`)}
${card({ title: 'About' }, about(restore, context))}${status === 'running' && cancel(restore, context)}`;
}

function about(restore: RestoreView, { params: { name }, now, who }: Context): Html {
  const { backupId, mode, status, phase, requestedBy, startedAt, completedAt, bytesRead } = restore;
  const { keptDatabase, keptUntil, safetyBackupId } = restore;
  const rows: readonly (readonly [string, HtmlValue] | null)[] = [
    ['From', html`<a href="${backupPath(name, backupId)}">the backup ${backupId}</a>`],
    [
      'How',
      mode === 'swap' ? 'Into a new database, which takes the place of the old one' : 'In place, over the database',
    ],
    status === 'running' ? ['Now', html`It ${PHASES[phase]}`] : null,
    ['Read of the archive', size(bytesRead)],
    ['Begun', html`${exact(startedAt)} · ${ago(startedAt, now())}, by ${who(requestedBy)}`],
    completedAt === null ? null : ['Ended', exact(completedAt)],
    keptDatabase === null
      ? null
      : [
          'The old database is kept as',
          html`<code>${keptDatabase}</code>${keptUntil !== null && html` until ${exact(keptUntil)}`}`,
        ],
    safetyBackupId === null
      ? null
      : ['What was written over', html`<a href="${backupPath(name, safetyBackupId)}">the backup ${safetyBackupId}</a>`],
  ];
  return facts(rows.filter((row) => row !== null));
}

function cancel({ restoreId, mode }: RestoreView, context: Context): Html | false {
  if (!admits({ 'platform-admin': true, user: 'admin' }, context.person)) return false;
  const what =
    mode === 'swap'
      ? 'Until the new database takes its place, the database stays as it is. A swap that has begun is brought to its end.'
      : 'What was restored so far is rolled back.';
  const action = `${restorePath(context.params.name, restoreId)}/cancel`;
  return card(
    { title: 'Cancel' },
    html`<p class="quiet">${what}</p>${form(context, { action, button: 'Cancel the restore', icon: 'x', tone: 'danger' })}`,
  );
}
