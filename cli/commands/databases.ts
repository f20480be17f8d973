import { z } from 'zod';
import { pathOf } from '../api-client.ts';
import { type CliContext, serviceName } from '../context.ts';
import { dbCommand, followWork, type OfService, toneOf } from '../database-work.ts';
import { exitCode } from '../exit-codes.ts';
import { formatBytes } from '../pack-folder.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { printable, type Tone } from '../terminal/style.ts';
import { formatAge } from '../terminal/times.ts';

const text = z.string();

export const backupReply = z.looseObject({
  backupId: text,
  engine: text,
  environment: text.nullish(),
  databaseName: text,
  tier: text,
  status: text,
  startedAt: text,
  sizeBytes: z.number().nullish(),
  error: text.nullish(),
  verifiedAt: text.nullish(),
  verificationError: text.nullish(),
});

const linkReply = z.looseObject({ url: text, expiresAt: text, fileName: text });

type BackupReply = z.infer<typeof backupReply>;

/** `fairlead db backup`. */
export async function backUp(
  context: CliContext,
  { type, detach, service: given }: OfService & { readonly type?: string; readonly detach?: boolean },
): Promise<number> {
  const { api, output, environment } = context;
  const service = await serviceName(context, given);
  const body = { environment, ...(type === undefined ? {} : { type }) };
  const started = await api.call(backupReply, {
    method: 'POST',
    path: pathOf('services', service, 'databases', 'backup'),
    body,
  });
  const path = pathOf('services', service, 'databases', 'backups', started.backupId);
  const begun = `${started.backupId} backs up ${started.databaseName} (${started.engine})`;
  const left = {
    message: `The backup ${started.backupId} goes on by itself.`,
    remedy: `See it: \`fairlead ${dbCommand(context, 'backups', service)}\`. To stop it: \`fairlead ${dbCommand(context, `backup-cancel ${started.backupId}`, service)}\``,
  };
  const followed = { schema: backupReply, path, progress: progressOfBackup, begun, left };
  if (detach === true) output.note(begun);
  const ended = detach === true ? started : await followWork(context, started, followed);
  output.document(ended);
  output.print(output.quiet ? ended.backupId : toldOfBackup(ended));
  return exitCode(ended.status === 'failed' ? 'failed' : 'ok');
}

/** `fairlead db backups`. */
export async function listBackups(
  context: CliContext,
  { type, limit, service: given }: OfService & { readonly type?: string; readonly limit: number },
): Promise<number> {
  const { api, output, environment, now } = context;
  const service = await serviceName(context, given);
  const path = pathOf('services', service, 'databases', 'backups');
  const page = await readPages(api, backupReply, { path, query: { environment, type }, limit });
  output.document(page);
  if (output.quiet) for (const { backupId } of page.items) output.print(backupId);
  else if (page.items.length === 0) {
    const what = type === undefined ? 'backups' : `backups of ${type}`;
    const make = dbCommand(context, `backup${type === undefined ? '' : ` --type ${type}`}`, service);
    output.print(`${service} has no ${what} in ${environment}. To make one: \`fairlead ${make}\``);
  } else {
    output.table(
      [
        { title: 'BACKUP' },
        { title: 'STATE' },
        { title: 'ENGINE' },
        { title: 'TIER' },
        { title: 'SIZE' },
        { title: 'BEGAN' },
        { title: 'RESTORED FOR PROOF' },
        { title: 'REASON', shrinks: true },
      ],
      page.items.map((backup) => [
        { text: backup.backupId, tone: 'bold' },
        { text: backup.status, ...toneOf(backup.status) },
        { text: backup.engine },
        { text: backup.tier },
        { text: backup.sizeBytes == null ? '' : formatBytes(backup.sizeBytes) },
        { text: formatAge(backup.startedAt, now()), tone: 'dim' },
        proofOf(backup, now()),
        { text: printable(backup.error ?? backup.verificationError ?? '') },
      ]),
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

/** `fairlead db backup-download <backup>`. */
export async function downloadBackup(context: CliContext, id: string, { service: given }: OfService): Promise<number> {
  const { api, output, environment } = context;
  const service = await serviceName(context, given);
  const path = pathOf('services', service, 'databases', 'backups', id, 'download');
  const link = await api.call(linkReply, { method: 'GET', path, query: { environment } });
  output.document(link);
  output.print(link.url);
  output.note(`Valid until ${link.expiresAt}; whoever has it downloads ${link.fileName}`);
  return exitCode('ok');
}

/** `fairlead db backup-cancel <backup>`. */
export async function cancelBackup(context: CliContext, id: string, { service: given }: OfService): Promise<number> {
  const { api, output, environment } = context;
  const service = await serviceName(context, given);
  const path = pathOf('services', service, 'databases', 'backups', id, 'cancel');
  const backup = await api.call(backupReply, { method: 'POST', path, query: { environment } });
  output.document(backup);
  output.print(`${backup.backupId} is being cancelled`);
  return exitCode('ok');
}

function progressOfBackup({ sizeBytes }: BackupReply): string {
  return sizeBytes == null ? 'dumping' : `${formatBytes(sizeBytes)} uploaded`;
}

function toldOfBackup({ backupId, status, sizeBytes, error }: BackupReply): string {
  if (status === 'failed') return `${backupId} failed: ${printable(error ?? 'no reason is known')}`;
  return status === 'completed' ? `${backupId} completed: ${formatBytes(sizeBytes ?? 0)}` : `${backupId} is ${status}`;
}

function proofOf(
  { verifiedAt, verificationError }: BackupReply,
  now: Date,
): { readonly text: string; readonly tone?: Tone } {
  if (verificationError != null) return { text: 'failed', tone: 'bad' };
  return { text: verifiedAt == null ? '' : formatAge(verifiedAt, now), tone: 'dim' };
}
