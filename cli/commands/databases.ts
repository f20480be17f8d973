import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { pathOf } from '../api-client.ts';
import { confirm } from '../confirm.ts';
import { type CliContext, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { formatBytes } from '../pack-folder.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { printable, type Tone } from '../terminal/style.ts';
import { formatAge } from '../terminal/times.ts';

const text = z.string();

const backupReply = z.looseObject({
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

const restoreReply = z.looseObject({
  restoreId: text,
  databaseName: text,
  status: text,
  phase: text,
  bytesRead: z.number(),
  keptDatabase: text.nullish(),
  keptUntil: text.nullish(),
  safetyBackupId: text.nullish(),
  error: text.nullish(),
});

const linkReply = z.looseObject({ url: text, expiresAt: text, fileName: text });

type BackupReply = z.infer<typeof backupReply>;
type RestoreReply = z.infer<typeof restoreReply>;

interface OfService {
  readonly service?: string;
}

const TONES: Readonly<Record<string, Tone>> = { completed: 'good', failed: 'bad', missed: 'bad', running: 'warn' };
const POLL_MS = 1_000;

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
  output.note(`${started.backupId} backs up ${started.databaseName} (${started.engine})`);
  const ended = detach === true ? started : await follow(context, started, backupReply, path, progressOfBackup);
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
  else if (page.items.length === 0) output.print(`${service} has no backups in ${environment}: \`fairlead db backup\``);
  else {
    output.table(
      [
        { title: 'BACKUP' },
        { title: 'STATE' },
        { title: 'ENGINE' },
        { title: 'TIER' },
        { title: 'SIZE' },
        { title: 'BEGAN' },
        { title: 'RESTORED FOR PROOF', shrinks: true },
      ],
      page.items.map((backup) => [
        { text: backup.backupId, tone: 'bold' },
        { text: backup.status, ...toneOf(backup.status) },
        { text: backup.engine },
        { text: backup.tier },
        { text: backup.sizeBytes == null ? '' : formatBytes(backup.sizeBytes) },
        { text: formatAge(backup.startedAt, now()), tone: 'dim' },
        { text: printable(proofOf(backup, now())) },
      ]),
    );
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

/** `fairlead db backup-download <backup>`. */
export async function downloadBackup(context: CliContext, id: string, { service: given }: OfService): Promise<number> {
  const { api, output } = context;
  const service = await serviceName(context, given);
  const path = pathOf('services', service, 'databases', 'backups', id, 'download');
  const link = await api.call(linkReply, { method: 'GET', path });
  output.document(link);
  output.print(link.url);
  output.note(`Valid until ${link.expiresAt}; whoever has it downloads ${link.fileName}`);
  return exitCode('ok');
}

/** `fairlead db backup-cancel <backup>`. */
export async function cancelBackup(context: CliContext, id: string, { service: given }: OfService): Promise<number> {
  const { api, output } = context;
  const service = await serviceName(context, given);
  const path = pathOf('services', service, 'databases', 'backups', id, 'cancel');
  const backup = await api.call(backupReply, { method: 'POST', path });
  output.document(backup);
  output.print(`${backup.backupId} is being cancelled`);
  return exitCode('ok');
}

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
  const where = `${backup.databaseName} of ${service} in ${backup.environment ?? ''} (${backup.engine})`;
  const old =
    mode === 'swap' ? 'What it has now is kept beside it' : 'What it has now is backed up first, and then overwritten';
  await confirm(context, options, {
    text: `${where} becomes what it was ${formatAge(backup.startedAt, context.now())}. ${old}.`,
    command: `db restore ${id}${mode === 'swap' ? '' : ' --in-place'} --service ${service}`,
  });
  const path = pathOf('services', service, 'databases', 'restore');
  const body = { backupId: id, confirm: true, mode, environment };
  const started = await api.call(restoreReply, { method: 'POST', path, body });
  output.note(`${started.restoreId} restores ${id}`);
  const at = pathOf('services', service, 'databases', 'restores', started.restoreId);
  const ended = options.detach === true ? started : await follow(context, started, restoreReply, at, progressOfRestore);
  output.document(ended);
  output.print(output.quiet ? ended.restoreId : toldOfRestore(ended));
  return exitCode(ended.status === 'failed' ? 'failed' : 'ok');
}

/** Asks until the status leaves `running`; what is new is a note. */
async function follow<T extends { readonly status: string }>(
  { api, output }: CliContext,
  started: T,
  schema: z.ZodType<T>,
  path: string,
  progress: (item: T) => string,
): Promise<T> {
  let item = started;
  let told = '';
  while (item.status === 'running') {
    await sleep(POLL_MS);
    item = await api.call(schema, { method: 'GET', path });
    const line = progress(item);
    if (item.status === 'running' && line !== told) output.note(line);
    told = line;
  }
  return item;
}

function progressOfBackup({ sizeBytes }: BackupReply): string {
  return sizeBytes == null ? 'dumping' : `${formatBytes(sizeBytes)} uploaded`;
}

function progressOfRestore({ phase, bytesRead }: RestoreReply): string {
  return bytesRead === 0 ? phase : `${phase}: ${formatBytes(bytesRead)} read`;
}

function toldOfBackup({ backupId, status, sizeBytes, error }: BackupReply): string {
  if (status === 'failed') return `${backupId} failed: ${printable(error ?? 'no reason is known')}`;
  return status === 'completed' ? `${backupId} completed: ${formatBytes(sizeBytes ?? 0)}` : `${backupId} is ${status}`;
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

function proofOf({ verifiedAt, verificationError, error }: BackupReply, now: Date): string {
  if (error != null) return error;
  if (verificationError != null) return `failed: ${verificationError}`;
  return verifiedAt == null ? '' : formatAge(verifiedAt, now);
}

function toneOf(status: string): { readonly tone?: Tone } {
  const tone = TONES[status];
  return tone === undefined ? {} : { tone };
}
