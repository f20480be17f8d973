import { z } from 'zod';
import { pathOf } from '../api-client.ts';
import { CliFailure, usageFailure } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { type OfService, tryFirst } from '../database-work.ts';
import { exitCode } from '../exit-codes.ts';
import { formatBytes } from '../pack-folder.ts';

const text = z.string();

const keptReply = z.looseObject({
  id: text,
  engine: text,
  databaseName: text,
  of: text,
  service: text.nullish(),
  environment: text.nullish(),
  because: text,
  sizeBytes: z.number().nullish(),
  keptUntil: text,
  state: text,
});
const keptListReply = z.looseObject({ databases: z.array(keptReply) });
const healthReply = z.looseObject({
  engine: text,
  databaseName: text,
  service: text.nullish(),
  environment: text.nullish(),
  state: text,
});
const healthListReply = z.looseObject({ databases: z.array(healthReply) });

type KeptReply = z.infer<typeof keptReply>;

const COLUMNS = [
  { title: 'DATABASE' },
  { title: 'ENGINE' },
  { title: 'SERVICE' },
  { title: 'ENVIRONMENT' },
  { title: 'STATE' },
  { title: 'SIZE' },
  { title: 'DROPPED ON' },
] as const;

/** `fairlead db list`: databases that are backed up, and those that are kept before they are dropped, with how large they are. */
export async function listDatabases(context: CliContext, { service: only }: OfService): Promise<number> {
  const { api, output } = context;
  const [health, all] = await Promise.all([
    api.call(healthListReply, { method: 'GET', path: pathOf('databases', 'backups', 'health') }),
    readKept(context),
  ]);
  const isAsked = ({ service }: { readonly service?: string | null | undefined }) =>
    only === undefined || service === only;
  const kept = all.filter(isAsked);
  const names = new Set(kept.map(({ engine, databaseName }) => `${engine}/${databaseName}`));
  // The database of a removed service has backups as well.
  const used = health.databases.filter((one) => isAsked(one) && !names.has(`${one.engine}/${one.databaseName}`));
  output.document({ databases: used, kept });
  if (output.quiet) for (const { databaseName } of [...used, ...kept]) output.print(databaseName);
  else if (used.length + kept.length === 0) {
    output.print(
      only === undefined
        ? 'No database is backed up or kept yet. Those of a service: `fairlead db logins --service <name>`'
        : `${only} has no database that is backed up or kept yet. Those it has: \`fairlead db logins --service ${only}\``,
    );
  } else {
    output.table(COLUMNS, [
      ...used.map(({ databaseName, engine, service, environment }) => [
        { text: databaseName, tone: 'bold' as const },
        ...[engine, service ?? '', environment ?? '', 'in use', '', ''].map((cell) => ({ text: cell })),
      ]),
      ...kept.map(keptRow),
    ]);
    if (kept.length > 0) output.note('To drop a kept one before its day: `fairlead db drop <database>`');
  }
  return exitCode('ok');
}

function keptRow({ databaseName, engine, service, environment, because, of, state, sizeBytes, keptUntil }: KeptReply) {
  const why = because === 'restore' ? `replaced in ${of}` : 'service removed';
  return [
    { text: databaseName, tone: 'bold' as const },
    ...[engine, service ?? '', environment ?? ''].map((cell) => ({ text: cell })),
    { text: state === 'dropping' ? 'is being dropped' : `kept: ${why}`, tone: 'warn' as const },
    { text: sizeBytes == null ? 'unknown' : formatBytes(sizeBytes) },
    { text: keptUntil.slice(0, 10) },
  ];
}

/** `fairlead db drop <database>`: a kept one, before its day. The name that was typed is what the API compares. */
export async function dropKept(
  context: CliContext,
  databaseName: string,
  options: { readonly type?: string; readonly yes?: boolean },
): Promise<number> {
  const { api, output } = context;
  const kept = requireOne(await readKept(context), databaseName, options.type);
  const path = pathOf('databases', 'kept', kept.id, 'drop');
  const send = (dryRun: boolean) =>
    api.call(keptReply, { method: 'POST', path, body: { confirm: databaseName, ...(dryRun ? { dryRun } : {}) } });
  if (options.yes !== true) await tryFirst(() => send(true));
  const size = kept.sizeBytes == null ? '' : `, ${formatBytes(kept.sizeBytes)}`;
  const lost =
    kept.because === 'restore'
      ? `It holds what ${kept.of} had before a restore replaced it, and no other copy is made of it`
      : 'No deploy gets it back then; its final backup is made first, where the platform backs up its engine';
  await confirm(context, options, {
    text: `${databaseName} (${kept.engine}${size}) is dropped now and not on ${kept.keptUntil.slice(0, 10)}. ${lost}.`,
    command: `db drop ${databaseName}${options.type === undefined ? '' : ` --type ${options.type}`}`,
  });
  const dropped = await send(false);
  output.document(dropped);
  output.print(
    output.quiet ? databaseName : `${databaseName} is being dropped: \`fairlead db list\` names it until it is gone`,
  );
  return exitCode('ok');
}

async function readKept({ api }: CliContext): Promise<readonly KeptReply[]> {
  return (await api.call(keptListReply, { method: 'GET', path: pathOf('databases', 'kept') })).databases;
}

/** @throws CliFailure with exit `notFound`, or `usage` where databases of several engines have the name */
function requireOne(all: readonly KeptReply[], databaseName: string, type: string | undefined): KeptReply {
  const found = all.filter((one) => one.databaseName === databaseName && (type === undefined || one.engine === type));
  const [kept, other] = found;
  if (kept === undefined) {
    throw new CliFailure(
      'DATABASE_NOT_FOUND',
      `No kept database ${databaseName}: what a service uses is not dropped by hand.`,
      {
        exit: 'notFound',
        remedy: 'Those that are kept: `fairlead db list`',
      },
    );
  }
  if (other === undefined) return kept;
  throw usageFailure(`Databases of several engines are kept as ${databaseName}.`, 'Name one: `--type <engine>`');
}
