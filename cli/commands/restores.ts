import { z } from 'zod';
import { pathOf } from '../api-client.ts';
import { confirm } from '../confirm.ts';
import { type CliContext, serviceName } from '../context.ts';
import { dbCommand, followWork, type OfService, toneOf, tryFirst } from '../database-work.ts';
import { exitCode } from '../exit-codes.ts';
import { formatBytes } from '../pack-folder.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { printable } from '../terminal/style.ts';
import { formatAge } from '../terminal/times.ts';
import { backupReply } from './databases.ts';

const text = z.string();

const restoreReply = z.looseObject({
  restoreId: text,
  backupId: text,
  engine: text,
  environment: text.nullish(),
  startedAt: text,
  mode: text,
  databaseName: text,
  status: text,
  phase: text,
  bytesRead: z.number(),
  keptDatabase: text.nullish(),
  keptUntil: text.nullish(),
  safetyBackupId: text.nullish(),
  error: text.nullish(),
});

type RestoreReply = z.infer<typeof restoreReply>;

/** What a restore is at, as people read it. */
const PHASES: Readonly<Record<string, string>> = {
  checking: 'checks the backup',
  'safety-backup': 'backs up what the database has now',
  restoring: 'reads the archive',
  verifying: 'compares the counts with those of the dump',
  swapping: 'puts the new database in the place of the old one',
};

/** `fairlead db restore <backup>`. */
export async function restoreBackup(
  context: CliContext,
  id: string,
  options: OfService & { readonly inPlace?: boolean; readonly detach?: boolean; readonly yes?: boolean },
): Promise<number> {
  const { api, output, environment } = context;
  const service = await serviceName(context, options.service);
  const backups = pathOf('services', service, 'databases', 'backups', id);
  const backup = await api.call(backupReply, { method: 'GET', path: backups });
  const mode = options.inPlace === true ? 'in-place' : 'swap';
  const path = pathOf('services', service, 'databases', 'restore');
  const body = { backupId: id, confirm: true, mode, environment };
  if (options.yes !== true)
    await tryFirst(() => api.call(z.unknown(), { method: 'POST', path, body: { ...body, dryRun: true } }));
  const where = `${backup.databaseName} of ${service} in ${backup.environment ?? ''} (${backup.engine})`;
  const old =
    mode === 'swap' ? 'What it has now is kept beside it' : 'What it has now is backed up first, and then overwritten';
  await confirm(context, options, {
    text: `${where} becomes what it was ${formatAge(backup.startedAt, context.now())}. ${old}.`,
    command: dbCommand(context, `restore ${id}${mode === 'swap' ? '' : ' --in-place'}`, service),
  });
  const started = await api.call(restoreReply, { method: 'POST', path, body });
  const begun = `${started.restoreId} restores ${id}`;
  const at = pathOf('services', service, 'databases', 'restores', started.restoreId);
  const left = {
    message: `The restore ${started.restoreId} goes on by itself.`,
    remedy: `See it: \`fairlead ${dbCommand(context, 'restores', service)}\`. To stop it: \`fairlead ${dbCommand(context, `restore-cancel ${started.restoreId}`, service)}\``,
  };
  const followed = { schema: restoreReply, path: at, progress: progressOfRestore, begun, left };
  if (options.detach === true) output.note(begun);
  const ended = options.detach === true ? started : await followWork(context, started, followed);
  output.document(ended);
  output.print(output.quiet ? ended.restoreId : toldOfRestore(ended));
  return exitCode(ended.status === 'failed' ? 'failed' : 'ok');
}

/** `fairlead db restores`: of the service, in all environments. */
export async function listRestores(
  context: CliContext,
  { limit, service: given }: OfService & { readonly limit: number },
): Promise<number> {
  const { api, output, now } = context;
  const service = await serviceName(context, given);
  const path = pathOf('services', service, 'databases', 'restores');
  const page = await readPages(api, restoreReply, { path, limit });
  output.document(page);
  if (output.quiet) for (const { restoreId } of page.items) output.print(restoreId);
  else if (page.items.length === 0) output.print(`${service} has no restores.`);
  else {
    output.table(
      [
        { title: 'RESTORE' },
        { title: 'STATE' },
        { title: 'ENVIRONMENT' },
        { title: 'ENGINE' },
        { title: 'BACKUP' },
        { title: 'BEGAN' },
        { title: '', shrinks: true },
      ],
      page.items.map((restore) => [
        { text: restore.restoreId, tone: 'bold' },
        { text: restore.status, ...toneOf(restore.status) },
        { text: restore.environment ?? '' },
        { text: restore.engine },
        { text: restore.backupId },
        { text: formatAge(restore.startedAt, now()), tone: 'dim' },
        { text: printable(restore.status === 'running' ? progressOfRestore(restore) : (restore.error ?? '')) },
      ]),
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

/** `fairlead db restore-cancel <restore>`. */
export async function cancelRestore(context: CliContext, id: string, { service: given }: OfService): Promise<number> {
  const { api, output, environment } = context;
  const service = await serviceName(context, given);
  const path = pathOf('services', service, 'databases', 'restores', id, 'cancel');
  const restore = await api.call(restoreReply, { method: 'POST', path, query: { environment } });
  output.document(restore);
  output.print(`${restore.restoreId} is being cancelled; a swap that has begun is brought to its end`);
  return exitCode('ok');
}

function progressOfRestore({ phase, bytesRead }: RestoreReply): string {
  const words = PHASES[phase] ?? phase;
  return bytesRead === 0 ? words : `${words}: ${formatBytes(bytesRead)} read`;
}

function toldOfRestore(restore: RestoreReply): string {
  const { restoreId, status, databaseName, keptDatabase, keptUntil, safetyBackupId, error } = restore;
  if (status === 'failed') return `${restoreId} failed: ${printable(error ?? 'no reason is known')}`;
  if (status !== 'completed') return `${restoreId} is ${status}`;
  const until = keptUntil == null ? '' : ` until ${keptUntil.slice(0, 10)}`;
  const old =
    keptDatabase == null
      ? `what it had is in ${safetyBackupId ?? 'no backup'}`
      : `what it had is kept as ${keptDatabase}${until}`;
  return `${databaseName} is restored; ${old}`;
}
