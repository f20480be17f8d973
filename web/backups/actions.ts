import { z } from 'zod';
import { html } from '../../api/http/pages/html.ts';
import { BACKUP_ENGINES } from '../../domain/backups/backup.ts';
import { backupViewSchema, downloadReplySchema, restoreViewSchema } from '../../domain/backups/backup-schema.ts';
import { keptDatabaseSchema } from '../../domain/backups/kept-database-schema.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { card, externalLink, facts, notice } from '../look/components.ts';
import { exact } from '../look/time.ts';
import { MEMBERS } from '../members.ts';
import { type Action, defineAction, type PageView } from '../page.ts';
import { serviceCrumbs } from '../services/service-crumbs.ts';
import { backupParams } from './backup-page.ts';
import { serviceParams } from './databases-page.ts';
import { HEALTH_PATH } from './health-page.ts';
import { keptPath } from './kept-card.ts';
import { keptParams } from './kept-page.ts';
import { restoreParams } from './restore-page.ts';
import { backupPath, databasesPath, restorePath, size } from './words.ts';

const ADMINS = { 'platform-admin': true, user: 'admin' } as const;

const backUp = defineAction({
  module: 'backups',
  path: '/services/:name/databases/backup',
  summary: 'Backs up a database of a service',
  callers: MEMBERS,
  params: serviceParams,
  body: z.strictObject({ engine: z.enum(BACKUP_ENGINES), environment: environmentSchema }),
  back: ({ name }) => databasesPath(name),
  run: async ({ platform, params: { name }, body: { engine: type, environment } }) => {
    const path = `${databasesPath(name)}/backup`;
    const { backupId } = await platform.send('builder', 'POST', path, backupViewSchema, {
      body: { type, environment },
    });
    return { to: backupPath(name, backupId), notice: 'The backup has begun.' };
  },
});

const cancelBackup = defineAction({
  module: 'backups',
  path: '/services/:name/databases/backups/:backupId/cancel',
  summary: 'Cancels a backup that runs',
  callers: MEMBERS,
  params: backupParams,
  back: ({ name, backupId }) => backupPath(name, backupId),
  run: async ({ platform, params: { name, backupId } }) => {
    const path = backupPath(name, backupId);
    await platform.send('builder', 'POST', `${path}/cancel`, backupViewSchema);
    return { to: path, notice: 'The backup is told to end.' };
  },
});

const download = defineAction({
  module: 'backups',
  path: '/services/:name/databases/backups/:backupId/download',
  summary: 'Makes a link to an archive, which is shown this once',
  callers: MEMBERS,
  params: backupParams,
  back: ({ name, backupId }) => backupPath(name, backupId),
  run: async ({ platform, params: { name, backupId } }) => {
    const path = backupPath(name, backupId);
    const link = await platform.get('builder', `${path}/download`, downloadReplySchema);
    return { shown: linkPage(name, path, link) };
  },
});

function linkPage(
  service: string,
  path: string,
  { url, expiresAt, fileName, sizeBytes, sha256 }: z.output<typeof downloadReplySchema>,
): PageView {
  return {
    title: 'Download a backup',
    crumbs: serviceCrumbs(service, ['Databases', databasesPath(service)], ['Backup', path]),
    body: html`${notice('warn', html`<p>Whoever has the link downloads all of the database, until ${exact(expiresAt)}.</p>`)}
${card(
  { title: 'The archive' },
  facts([
    ['Download', externalLink(url, fileName)],
    ['Size', size(sizeBytes)],
    ...(sha256 === null ? [] : [['SHA-256', html`<code>${sha256}</code>`] as const]),
  ]),
)}`,
  };
}

const restore = defineAction({
  module: 'backups',
  path: '/services/:name/databases/backups/:backupId/restore',
  summary: 'Restores a backup, once the name of its database is typed',
  callers: ADMINS,
  params: backupParams,
  body: z.strictObject({ confirm: z.string().trim().max(200), inPlace: z.literal('on').optional() }),
  back: ({ name, backupId }) => backupPath(name, backupId),
  run: async ({ platform, params: { name, backupId }, body: { confirm, inPlace } }) => {
    const backup = await platform.get('builder', backupPath(name, backupId), backupViewSchema);
    if (confirm !== backup.databaseName) {
      const message = `Type ${backup.databaseName} to restore it`;
      throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'confirm', message }] });
    }
    const { restoreId } = await platform.send('builder', 'POST', `${databasesPath(name)}/restore`, restoreViewSchema, {
      body: { backupId, confirm: true, mode: inPlace === 'on' ? 'in-place' : 'swap' },
    });
    return { to: restorePath(name, restoreId), notice: 'The restore has begun.' };
  },
});

const cancelRestore = defineAction({
  module: 'backups',
  path: '/services/:name/databases/restores/:restoreId/cancel',
  summary: 'Cancels a restore that runs',
  callers: ADMINS,
  params: restoreParams,
  back: ({ name, restoreId }) => restorePath(name, restoreId),
  run: async ({ platform, params: { name, restoreId } }) => {
    const path = restorePath(name, restoreId);
    await platform.send('builder', 'POST', `${path}/cancel`, restoreViewSchema);
    return { to: path, notice: 'The restore is told to end.' };
  },
});

const dropKept = defineAction({
  module: 'backups',
  path: '/databases/kept/:id/drop',
  summary: 'Drops a kept database before its day, once its name is typed',
  callers: ADMINS,
  params: keptParams,
  body: z.strictObject({ confirm: z.string().trim().max(200) }),
  back: ({ id }) => keptPath(id),
  run: async ({ platform, params: { id }, body: { confirm } }) => {
    const path = `${keptPath(id)}/drop`;
    const { databaseName } = await platform.send('builder', 'POST', path, keptDatabaseSchema, { body: { confirm } });
    return { to: HEALTH_PATH, notice: `${databaseName} is being dropped.` };
  },
});

export const backupActions: readonly Action[] = [backUp, cancelBackup, download, restore, cancelRestore, dropKept];
