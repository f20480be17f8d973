import { z } from 'zod';
import type { OrgOption } from '../acting-org.ts';
import { pathOf } from '../api-client.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { printable, type Tone } from '../terminal/style.ts';
import { formatAge } from '../terminal/times.ts';

const text = z.string();

const healthReply = z.looseObject({
  state: text,
  service: text.nullish(),
  org: text.nullish(),
  environment: text.nullish(),
  engine: text,
  databaseName: text,
  lastCompletedAt: text.nullish(),
  lastVerifiedAt: text.nullish(),
  lastNight: z.looseObject({ reason: text.nullish() }).nullish(),
});
const databasesReply = z.looseObject({ databases: z.array(healthReply) });

type HealthReply = z.infer<typeof healthReply>;

const TONES: Readonly<Record<string, Tone>> = { healthy: 'good', unproven: 'warn', stale: 'bad', failing: 'bad' };

/** Those that have no fresh backup: the command fails of them, so that cron and CI can run it as a check. */
const BAD: readonly string[] = ['failing', 'stale'];

/**
 * `fairlead db health`: how the backups of all databases are that the caller sees, the worst first. Ends with `failed` where one
 * has no fresh backup, and with `notFound` for a named org without a database: a misspelt name passes no check.
 */
export async function showHealth(context: CliContext, { org }: OrgOption): Promise<number> {
  const { api, output, now } = context;
  const reply = await api.call(databasesReply, { method: 'GET', path: pathOf('databases', 'backups', 'health') });
  const databases = reply.databases.filter((database) => org === undefined || database.org === org);
  const bad = databases.filter(({ state }) => BAD.includes(state));
  output.document({ ...reply, databases });
  if (databases.length === 0) {
    output.print(org === undefined ? NONE : `You see no database of ${org} that is backed up. Is that its slug?`);
    return exitCode(org === undefined ? 'ok' : 'notFound');
  }
  if (output.quiet) for (const { databaseName } of bad) output.print(databaseName);
  else
    output.table(
      COLUMNS,
      databases.map((database) => rowOf(database, now())),
    );
  for (const { databaseName, engine, lastNight } of bad) {
    if (lastNight?.reason != null) output.note(printable(`${databaseName} (${engine}): ${lastNight.reason}`));
  }
  return exitCode(bad.length === 0 ? 'ok' : 'failed');
}

const NONE =
  'No database is backed up yet. One is listed from its first backup on: the night after its deploy, or `fairlead db backup`';

const COLUMNS = [
  { title: 'STATE' },
  { title: 'SERVICE' },
  { title: 'ENVIRONMENT' },
  { title: 'DATABASE' },
  { title: 'BACKED UP' },
  { title: 'PROVEN' },
] as const;

function rowOf(database: HealthReply, now: Date) {
  const { state, service, environment, engine, databaseName, lastCompletedAt, lastVerifiedAt } = database;
  const tone = TONES[state];
  return [
    { text: state, ...(tone === undefined ? {} : { tone }) },
    { text: service ?? '' },
    { text: environment ?? '' },
    { text: `${databaseName} (${engine})` },
    { text: lastCompletedAt == null ? 'never' : formatAge(lastCompletedAt, now) },
    { text: lastVerifiedAt == null ? 'never' : formatAge(lastVerifiedAt, now) },
  ];
}
