import { type ApiClient, pathOf } from '../api-client.ts';
import { CliFailure } from '../cli-failure.ts';
import { type CliContext, findBuildId, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { type FollowOptions, followStarted, type GrantWait, waitFields } from '../follow-command.ts';
import { commitsSince } from '../project.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { type BuildReply, buildReply, triggerReply } from '../replies.ts';
import type { Tone } from '../terminal/style.ts';
import { elapsedMs, formatAge, formatDuration } from '../terminal/times.ts';
import { readBuild, waitForEnd } from '../watch-build.ts';
import { notePendingOf } from './config.ts';

/** A cancelled build has to undo what it began; the platform ends its processes within seconds. */
const CANCEL_LIMIT_MS = 120_000;

/** `fairlead builds [service]`: the newest builds, of one service or of all. */
export async function builds(
  context: CliContext,
  service: string | undefined,
  options: { limit: number; status?: string; allEnvironments: boolean },
): Promise<number> {
  const { output } = context;
  const environment = options.allEnvironments ? undefined : context.environment;
  const page = await readPages(context.api, buildReply, {
    path: pathOf('builds'),
    query: { service, status: options.status, environment },
    limit: options.limit,
  });
  output.document(page);
  if (output.quiet) for (const build of page.items) output.print(build.id);
  else if (page.items.length === 0) output.print('No builds yet. Start one: fairlead deploy');
  else
    output.table(
      COLUMNS,
      page.items.map((build) => row(build, context.now())),
    );
  noteMore(output, page, options.limit);
  return exitCode('ok');
}

const COLUMNS = [
  { title: 'BUILD' },
  { title: 'SERVICE', shrinks: true },
  { title: 'ENV' },
  { title: 'STATUS' },
  { title: 'COMMIT' },
  { title: 'TOOK' },
  { title: 'AGE' },
];

function row(build: BuildReply, now: Date): { text: string; tone?: Tone }[] {
  const took = elapsedMs(build.startedAt, build.finishedAt, now);
  return [
    { text: build.id },
    { text: build.service, tone: 'bold' },
    { text: build.environment },
    { text: statusText(build), tone: statusTone(build) },
    { text: build.commitSha?.slice(0, 7) ?? '' },
    { text: took === null ? '' : formatDuration(took) },
    { text: formatAge(build.createdAt, now), tone: 'dim' },
  ];
}

/** The status, with what a failure was where it says more. */
export function statusText(build: BuildReply): string {
  const { status, reason } = build;
  if (build.waiting != null) return 'waits for grants';
  return status === 'failed' && typeof reason === 'string' && reason !== 'step_failed' ? reason : status;
}

/** A build that a newer one replaced is no failure. */
export function statusTone({ status, reason }: Pick<BuildReply, 'status' | 'reason'>): Tone {
  if (reason === 'superseded') return 'dim';
  return status === 'completed' ? 'good' : status === 'failed' ? 'bad' : 'warn';
}

/** `fairlead cancel [build]`: returns when the build has really ended. */
export async function cancel(context: CliContext, given: string | undefined): Promise<number> {
  const { api, output } = context;
  const id = await findBuildId(context, given);
  output.note(`Cancelling ${id}`);
  await api.call(buildReply.partial(), { method: 'POST', path: pathOf('builds', id, 'cancel') });
  const build = await waitForEnd(api, id, CANCEL_LIMIT_MS);
  if (build.reason !== 'cancelled') {
    throw new CliFailure('BUILD_FINISHED', `${id} ended as ${statusText(build)} before it could be cancelled.`, {
      exit: 'conflict',
      details: { status: build.status, reason: build.reason ?? null },
    });
  }
  output.document(build);
  output.print(output.quiet ? id : `Cancelled ${id}`);
  return exitCode('ok');
}

/** `fairlead retry [build]`: starts again at the step that failed, or at `--from`. */
export async function retry(
  context: CliContext,
  given: string | undefined,
  options: FollowOptions & { from?: string; waitForGrants?: GrantWait },
): Promise<number> {
  const id = await findBuildId(context, given);
  const newer = await newerCode(context, id);
  if (newer !== null) context.output.note(newer);
  const started = await start(context.api, pathOf('builds', id, 'retry'), {
    ...(options.from === undefined ? {} : { fromStep: options.from }),
    ...waitFields(options.waitForGrants),
  });
  return followStarted(context, started, options);
}

/** A retry builds the very commit that failed. Where the folder this is run in has gone on from it, that is said. */
async function newerCode({ api, cwd }: CliContext, id: string): Promise<string | null> {
  // Of a build that cannot be read, the retry itself says why.
  const commitSha = await readBuild(api, id).then(
    (build) => build.commitSha,
    () => null,
  );
  if (typeof commitSha !== 'string') return null;
  const count = await commitsSince(cwd, commitSha);
  if (count === 0) return null;
  const commits = count === 1 ? 'a newer commit' : `${count} newer commits`;
  return `This builds ${commitSha.slice(0, 7)} again. This folder has ${commits}: \`fairlead deploy\` builds the newest.`;
}

/** `fairlead rollback [service]`: installs an earlier release again, without a build. */
export async function rollback(
  context: CliContext,
  given: string | undefined,
  options: FollowOptions & { to?: string },
): Promise<number> {
  const service = await serviceName(context, given);
  const started = await start(context.api, pathOf('services', service, 'rollback'), {
    environment: context.environment,
    ...(options.to === undefined ? {} : { releaseId: options.to }),
  });
  const code = await followStarted(context, started, options);
  if (code === exitCode('ok') && options.detach !== true) await notePendingOf(context, service);
  return code;
}

function start(api: ApiClient, path: string, body: Readonly<Record<string, unknown>>) {
  return api.call(triggerReply, { method: 'POST', path, body });
}
