import { z } from 'zod';
import { admits } from '../../api/http/allowed-callers.ts';
import { type Html, type HtmlValue, html } from '../../api/http/pages/html.ts';
import { type BackupView, backupViewSchema } from '../../domain/backups/backup-schema.ts';
import { environmentBadge } from '../deploys/build-row.ts';
import { pollRegions } from '../live/poll.ts';
import { card, facts, liveRegion, notice } from '../look/components.ts';
import { checkbox, confirmForm, type FormContext, field, form } from '../look/forms.ts';
import { ago, exact } from '../look/time.ts';
import { mayChange } from '../members.ts';
import { definePage, type PageContext } from '../page.ts';
import { serviceCrumbs } from '../services/service-crumbs.ts';
import { serviceParams } from './databases-page.ts';
import { rememberNames } from './names.ts';
import { backupBadge, backupPath, databaseLabel, databasesPath, proofBadge, size } from './words.ts';

export const backupParams = serviceParams.extend({ backupId: z.string().min(1).max(64) });
const LOOK_MS = 2_000;

type Context = PageContext<z.output<typeof backupParams>>;

const load = ({ platform, params: { name, backupId } }: Context): Promise<BackupView> =>
  platform.get('builder', backupPath(name, backupId), backupViewSchema);

/** One backup: what it is, what became of it, its download and its restore. */
export const backupPage = definePage({
  module: 'backups',
  path: '/services/:name/databases/backups/:backupId',
  summary: 'One backup of a database',
  under: '/services',
  params: backupParams,
  load,
  people: ({ requestedBy }) => ({ ids: [requestedBy] }),
  view: (backup, context) => {
    const { name } = context.params;
    return {
      title: `Backup of ${backup.databaseName}`,
      crumbs: serviceCrumbs(name, ['Databases', databasesPath(name)]),
      beside: liveRegion('status', backupBadge(backup.status), 'polite'),
      lead: html`${databaseLabel(backup)} ${backup.environment !== null && environmentBadge(backup.environment)}`,
      live: backup.status === 'running' ? {} : null,
      body: liveRegion('backup', body(backup, context)),
    };
  },
  live: (opened) => {
    const namesOf = rememberNames(opened);
    return pollRegions(opened, LOOK_MS, async () => {
      const backup = await load(opened);
      const context = { ...opened, who: await namesOf([backup.requestedBy]) };
      return { status: backupBadge(backup.status), backup: body(backup, context) };
    });
  },
});

function body(backup: BackupView, context: Context): Html {
  return html`${problems(backup)}<div class="columns"><div>${card({ title: 'About' }, about(backup, context))}</div>
<div>${actions(backup, context)}</div></div>`;
}

function problems({ error, errorCode, verificationError }: BackupView): Html {
  return html`${error !== null && notice('bad', html`<p><strong>${errorCode}</strong>: ${error}.</p>`)}${
    verificationError !== null && notice('bad', html`<p>It could not be restored for proof: ${verificationError}.</p>`)
  }`;
}

function about(backup: BackupView, { now, who }: Context): Html {
  const { startedAt, completedAt, kind, tier, night, sizeBytes, sha256, objectKey, verifiedAt, requestedBy } = backup;
  const rows: readonly (readonly [string, HtmlValue] | null)[] = [
    ['Begun', html`${exact(startedAt)} · ${ago(startedAt, now())}`],
    ['Ended', completedAt === null ? html`<span class="quiet">Not yet</span>` : exact(completedAt)],
    ['Kind', KINDS[kind](tier)],
    night === null ? null : ['Night', night],
    kind === 'manual' ? ['Asked for by', who(requestedBy)] : null,
    [backup.status === 'running' ? 'Uploaded so far' : 'Size', size(sizeBytes)],
    sha256 === null ? null : ['SHA-256', html`<code>${sha256}</code>`],
    objectKey === null ? null : ['In the bucket as', html`<code>${objectKey}</code>`],
    verifiedAt === null ? null : ['Restored for proof', html`${proofBadge(backup)} ${exact(verifiedAt)}`],
  ];
  return facts(rows.filter((row) => row !== null));
}

const KINDS: Readonly<Record<BackupView['kind'], (tier: string) => string>> = {
  manual: () => 'Manual: retention never deletes it',
  nightly: (tier) => `Nightly, ${tier}`,
  safety: () => 'Made before a restore in place wrote over the database',
  final: () => 'Made before the database of a removed service was dropped: retention never deletes it',
};

function actions(backup: BackupView, context: Context): Html | false {
  const path = backupPath(context.params.name, backup.backupId);
  if (backup.status === 'running') {
    if (!mayChange(context)) return false;
    return card(
      { title: 'Cancel' },
      html`<p class="quiet">The dump ends, and nothing of it stays in the bucket.</p>${form(context, { action: `${path}/cancel`, button: 'Cancel the backup', icon: 'x', tone: 'danger' })}`,
    );
  }
  if (backup.status !== 'completed') return false;
  return html`${mayChange(context) && download(path, context)}${admits({ 'platform-admin': true, user: 'admin' }, context.person) && restore(backup, path, context)}`;
}

function download(path: string, context: Context): Html {
  return card(
    { title: 'Download' },
    html`<p class="quiet">Makes a link to the archive, which standard tools read. The audit ledger is told who asked.</p>${form(context, { action: `${path}/download`, button: 'Make a link', icon: 'link', tone: 'plain' })}`,
  );
}

function restore({ databaseName, environment }: BackupView, path: string, context: Context): Html {
  const action = `${path}/restore`;
  const fields = (own: FormContext) =>
    html`${field(own, {
      ...{ name: 'confirm', label: 'Type the name of the database', required: true, mono: true },
      hint: html`<code>${databaseName}</code>`,
    })}${checkbox(own, {
      ...{ name: 'inPlace', label: 'Write over the database in place' },
      hint:
        'A backup of what it has now is made first. Without this mark the archive goes into a new database, which takes the ' +
        'place of the old one once its counts are right; the old one is kept beside it.',
    })}`;
  return card(
    { title: 'Restore' },
    html`<p class="quiet">What was written since this backup is not in the database of ${environment} afterwards.</p>${confirmForm(
      context,
      {
        action,
        ...{ label: 'Restore this backup', icon: 'undo', button: 'Restore', fields },
        question: html`The service is cut off from its database for a moment.`,
      },
    )}`,
  );
}
