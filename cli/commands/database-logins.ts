import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { pathOf } from '../api-client.ts';
import { type CliContext, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { printable } from '../terminal/style.ts';
import { formatAge } from '../terminal/times.ts';

const databaseReply = z.looseObject({
  engine: z.string(),
  databaseName: z.string(),
  environment: z.string(),
  user: z.string(),
  loginIssuedAt: z.string(),
  rotation: z.string(),
  // Builders of before say neither, nor the outcome.
  rotationBegunAt: z.string().nullish(),
  rotationWaitsFor: z
    .looseObject({ for: z.string(), buildId: z.string().nullish(), reason: z.string().nullish() })
    .nullish(),
  // Builders of before say nothing of it.
  backups: z.string().default(''),
});
const rotateReply = databaseReply.extend({ outcome: z.string().default('begun') });
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
  for (const database of [...reply.databases, ...reply.consumed]) {
    if (database.rotation !== 'none') output.note(`${database.databaseName}: ${wordsOfRotation(database, now())}`);
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
  const before = await api.call(rotateReply, {
    method: 'POST',
    path: pathOf('services', service, 'databases', 'rotate'),
    body: { environment, ...(type === undefined ? {} : { type }) },
  });
  output.note(begunText(before, service, context.now()));
  // One that waited, or was at work, may have made the new login already.
  const isGoneOnWith = before.outcome !== 'begun' || sameOf(earlier, before)?.rotation === 'waiting';
  const after = detach === true ? null : await follow(context, service, { before, isGoneOnWith });
  output.document(after ?? before);
  if (output.quiet) output.print(before.databaseName);
  else if (detach === true) output.print(`\`fairlead db logins\` says when it is done`);
  else if (after === null) {
    const left = sameOf(await readLogins(context, service), before);
    if (left !== undefined && left.rotation !== 'none') output.note(wordsOfRotation(left, context.now()));
    output.print(
      `The login before is valid still: \`fairlead builds\` shows the restart, and the next night tries again`,
    );
    return exitCode('failed');
  } else output.print(`${after.databaseName} is opened as ${after.user}; the login before has ended`);
  return exitCode('ok');
}

/** What was asked for comes to. */
function begunText(database: z.infer<typeof rotateReply>, service: string, now: Date): string {
  const { databaseName, engine, outcome } = database;
  const name = `${databaseName} (${engine})`;
  if (outcome === 'begun') return `${name} gets a new login; ${service} is restarted beside what serves`;
  const words = wordsOfRotation(database, now);
  return outcome === 'joined' ? `${name} is being given a new login already: ${words}` : `${name} goes on: ${words}`;
}

/** A rotation that is under way or waits: since when, and for what. */
function wordsOfRotation({ rotationBegunAt, rotationWaitsFor }: DatabaseReply, now: Date): string {
  const begun =
    rotationBegunAt == null ? 'a rotation has just begun' : `a rotation began ${formatAge(rotationBegunAt, now)}`;
  if (rotationWaitsFor == null) return begun;
  const { for: what, buildId, reason } = rotationWaitsFor;
  const words = `${begun}, and waits for ${waitText(what, buildId ?? null)}`;
  return printable(reason == null ? words : `${words}; the last attempt came to no end: ${reason}`);
}

function waitText(what: string, buildId: string | null): string {
  if (what === 'server') return 'the server of the database, which has to accept the new login';
  if (what === 'deploy') return 'a deploy of people: see `fairlead builds`';
  if (what === 'next-night') return 'the next night';
  return `the restart of the workload${buildId === null ? '' : ` (${buildId})`}`;
}

/** The database once it has the newer login alone; null where the rotation has ended otherwise, or takes too long. */
async function follow(
  context: CliContext,
  service: string,
  { before, isGoneOnWith }: { readonly before: DatabaseReply; readonly isGoneOnWith: boolean },
): Promise<DatabaseReply | null> {
  const until = performance.now() + FOLLOW_MS;
  let told = waitKey(before);
  while (performance.now() < until) {
    const now = sameOf(await readLogins(context, service), before);
    if (now === undefined) return null;
    if (now.rotation !== 'running') {
      const isNewer = isGoneOnWith || now.loginIssuedAt !== before.loginIssuedAt;
      return now.rotation === 'none' && isNewer ? now : null;
    }
    if (waitKey(now) !== told) context.output.note(wordsOfRotation(now, context.now()));
    told = waitKey(now);
    await sleep(POLL_MS);
  }
  return null;
}

/** The same while a rotation waits for the same. */
function waitKey({ rotationWaitsFor: waits }: DatabaseReply): string {
  return waits == null ? '' : `${waits.for} ${waits.buildId ?? ''}`;
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
