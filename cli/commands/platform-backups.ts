import { z } from 'zod';
import { pathOf } from '../api-client.ts';
import type { CliContext } from '../context.ts';
import { followWork, toneOf } from '../database-work.ts';
import { exitCode } from '../exit-codes.ts';
import { formatBytes } from '../pack-folder.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { printable } from '../terminal/style.ts';
import { formatAge } from '../terminal/times.ts';

const text = z.string();

const backupReply = z.looseObject({
  id: text,
  tier: text,
  status: text,
  startedAt: text,
  sizeBytes: z.number().nullish(),
  problem: z.looseObject({ message: text }).nullish(),
});

type BackupReply = z.infer<typeof backupReply>;

const LIST = pathOf('platform', 'backups');

/** `fairlead platform backup`. */
export async function backUpPlatform(context: CliContext, { detach }: { readonly detach?: boolean }): Promise<number> {
  const { api, output } = context;
  const started = await api.call(backupReply, { method: 'POST', path: LIST });
  const { id } = started;
  const begun = `${id} backs the platform up`;
  const left = {
    message: `The backup ${id} goes on by itself.`,
    remedy: `See it: \`fairlead platform backups\`. To stop it: \`fairlead platform backup-cancel ${id}\``,
  };
  if (detach === true) output.note(begun);
  const followed = { schema: backupReply, path: pathOf('platform', 'backups', id), begun, left };
  const ended =
    detach === true
      ? started
      : await followWork(context, started, { ...followed, progress: () => 'reading the databases' });
  output.document(ended);
  output.print(output.quiet ? id : told(ended));
  return exitCode(ended.status === 'failed' ? 'failed' : 'ok');
}

/** `fairlead platform backups`. */
export async function listPlatformBackups(
  { api, output, now }: CliContext,
  { limit }: { readonly limit: number },
): Promise<number> {
  const page = await readPages(api, backupReply, { path: LIST, query: {}, limit });
  output.document(page);
  if (output.quiet) for (const { id } of page.items) output.print(id);
  else if (page.items.length === 0) {
    output.print(
      'The platform was never backed up. To do it: `fairlead platform backup`; docs/operate.md says what it needs',
    );
  } else {
    output.table(
      [
        { title: 'BACKUP' },
        { title: 'STATE' },
        { title: 'TIER' },
        { title: 'SIZE' },
        { title: 'BEGAN' },
        { title: 'REASON', shrinks: true },
      ],
      page.items.map(({ id, status, tier, sizeBytes, startedAt, problem }) => [
        { text: id, tone: 'bold' },
        { text: status, ...toneOf(status) },
        { text: tier },
        { text: sizeBytes == null ? '' : formatBytes(sizeBytes) },
        { text: formatAge(startedAt, now()), tone: 'dim' },
        { text: printable(problem?.message ?? '') },
      ]),
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

/** `fairlead platform backup-cancel <backup>`. */
export async function cancelPlatformBackup({ api, output }: CliContext, id: string): Promise<number> {
  const backup = await api.call(backupReply, { method: 'POST', path: pathOf('platform', 'backups', id, 'cancel') });
  output.document(backup);
  output.print(`${backup.id} is being cancelled`);
  return exitCode('ok');
}

function told({ id, status, sizeBytes, problem }: BackupReply): string {
  if (status === 'failed') return `${id} failed: ${printable(problem?.message ?? 'no reason is known')}`;
  return status === 'completed' ? `${id} completed: ${formatBytes(sizeBytes ?? 0)}` : `${id} is ${status}`;
}
