import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { pathOf } from '../api-client.ts';
import { type CliContext, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { formatAge } from '../terminal/times.ts';

const databaseReply = z.looseObject({
  engine: z.string(),
  databaseName: z.string(),
  environment: z.string(),
  user: z.string(),
  loginIssuedAt: z.string(),
  rotation: z.string(),
  // Builders of before say nothing of it.
  backups: z.string().default(''),
});
const databasesReply = z.looseObject({
  databases: z.array(databaseReply),
  // Builders of earlier versions name neither.
  consumed: z.array(databaseReply.extend({ of: z.string(), access: z.string() })).default([]),
  consumers: z
    .array(z.looseObject({ service: z.string(), org: z.string(), environment: z.string(), access: z.string() }))
    .default([]),
});

type DatabaseReply = z.infer<typeof databaseReply>;

interface OfService {
  readonly service?: string;
}

const POLL_MS = 2_000;
/** A workload that does not become healthy is given up by then. */
const FOLLOW_MS = 30 * 60_000;

/** `fairlead db logins`. */
export async function listLogins(context: CliContext, { service: given }: OfService): Promise<number> {
  const { api, output, now } = context;
  const service = await serviceName(context, given);
  const reply = await api.call(databasesReply, {
    method: 'GET',
    path: pathOf('services', service, 'databases', 'logins'),
  });
  output.document(reply);
  if (output.quiet) for (const { databaseName } of reply.databases) output.print(databaseName);
  else if (reply.databases.length + reply.consumed.length === 0)
    output.print(`${service} has no databases: declare them in spec.databases`);
  else {
    output.table(
      [
        { title: 'DATABASE' },
        { title: 'ENGINE' },
        { title: 'ENVIRONMENT' },
        { title: 'USER' },
        { title: 'LOGIN MADE' },
        { title: 'ROTATION' },
        { title: 'BACKUPS' },
      ],
      [...reply.databases, ...reply.consumed].map((database) => [
        { text: `${database.databaseName}${'access' in database ? ` (${database.access})` : ''}`, tone: 'bold' },
        { text: database.engine },
        { text: database.environment },
        { text: database.user },
        { text: formatAge(database.loginIssuedAt, now()), tone: 'dim' },
        { text: database.rotation === 'none' ? '' : database.rotation, tone: 'warn' },
        { text: database.backups, tone: database.backups === 'none' ? 'warn' : 'dim' },
      ]),
    );
  }
  for (const { service: by, org, environment, access } of reply.consumers) {
    output.note(`${by} of ${org} uses the database in ${environment} (${access})`);
  }
  return exitCode('ok');
}

/** `fairlead db rotate`. */
export async function rotateLogin(
  context: CliContext,
  { type, detach, service: given }: OfService & { readonly type?: string; readonly detach?: boolean },
): Promise<number> {
  const { api, output, environment } = context;
  const service = await serviceName(context, given);
  const earlier = await readLogins(context, service);
  const before = await api.call(databaseReply, {
    method: 'POST',
    path: pathOf('services', service, 'databases', 'rotate'),
    body: { environment, ...(type === undefined ? {} : { type }) },
  });
  output.note(`${before.databaseName} (${before.engine}) gets a new login; ${service} is restarted beside what serves`);
  // One that waited has made the new login already.
  const isGoneOnWith = sameOf(earlier, before)?.rotation === 'waiting';
  const after = detach === true ? null : await follow(context, service, { before, isGoneOnWith });
  output.document(after ?? before);
  if (output.quiet) output.print(before.databaseName);
  else if (detach === true) output.print(`\`fairlead db logins\` says when it is done`);
  else if (after === null) {
    output.print(
      `The login before is valid still: \`fairlead builds\` shows the restart, and the next night tries again`,
    );
    return exitCode('failed');
  } else output.print(`${after.databaseName} is opened as ${after.user}; the login before has ended`);
  return exitCode('ok');
}

/** The database once it has the newer login alone; null where the rotation has ended otherwise, or takes too long. */
async function follow(
  context: CliContext,
  service: string,
  { before, isGoneOnWith }: { readonly before: DatabaseReply; readonly isGoneOnWith: boolean },
): Promise<DatabaseReply | null> {
  const until = performance.now() + FOLLOW_MS;
  while (performance.now() < until) {
    const now = sameOf(await readLogins(context, service), before);
    if (now === undefined) return null;
    if (now.rotation !== 'running') {
      const isNewer = isGoneOnWith || now.loginIssuedAt !== before.loginIssuedAt;
      return now.rotation === 'none' && isNewer ? now : null;
    }
    await sleep(POLL_MS);
  }
  return null;
}

async function readLogins({ api }: CliContext, service: string): Promise<readonly DatabaseReply[]> {
  const path = pathOf('services', service, 'databases', 'logins');
  return (await api.call(databasesReply, { method: 'GET', path })).databases;
}

function sameOf(
  databases: readonly DatabaseReply[],
  { engine, environment }: DatabaseReply,
): DatabaseReply | undefined {
  return databases.find((one) => one.engine === engine && one.environment === environment);
}
