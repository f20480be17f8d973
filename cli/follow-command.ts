import { buildWorkflowId } from '../domain/deploys/messages.ts';
import { type BuildView, logLine, type ViewOptions } from './build-view.ts';
import type { CliContext } from './context.ts';
import { exitCode } from './exit-codes.ts';
import { interruptible } from './interrupt.ts';
import { createJsonView } from './json-view.ts';
import { nextCommands } from './next-commands.ts';
import { createPlainView, createSilentView } from './plain-view.ts';
import type { BuildReply, LogLineReply, TriggerReply } from './replies.ts';
import { createLiveView } from './terminal/live-view.ts';
import { printable } from './terminal/style.ts';
import { elapsedMs, formatDuration } from './terminal/times.ts';
import { type WatchResult, watchBuild } from './watch-build.ts';

const LAST_LINES = 12;
/** A crash of Node has its message 15 lines above its end. */
const DIAGNOSTIC_LINES = 30;

/** The options of commands that start a build. */
export interface FollowOptions {
  readonly detach?: boolean;
  readonly logs?: boolean;
  readonly verbose?: boolean;
}

/** How long a build waits for grants, in seconds; true for the time of the platform. */
export type GrantWait = number | true;

/** Fields of a request that starts a build which waits for grants; none when it does not wait. */
export function waitFields(time: GrantWait | undefined): { waitForGrants?: true; waitForGrantsSeconds?: number } {
  if (time === undefined) return {};
  return time === true ? { waitForGrants: true } : { waitForGrants: true, waitForGrantsSeconds: time };
}

/**
 * What every command does that started a build: says so, follows it unless detached, and sums up.
 * @returns the exit code
 */
export async function followStarted(
  context: CliContext,
  started: TriggerReply,
  options: FollowOptions,
): Promise<number> {
  const { output } = context;
  const { buildId } = started;
  if (options.detach === true) {
    output.document(started);
    if (output.quiet) output.print(buildId);
    else {
      output.print(acceptedLine(context, started));
      output.print(`Follow it: fairlead logs -f ${buildId}`);
    }
    return exitCode('ok');
  }
  if (output.json) output.event('accepted', started);
  else output.note(acceptedLine(context, started));
  const result = await watchUntilInterrupted(context, buildId, {
    logs: options.logs !== false,
    verbose: options.verbose === true,
  });
  return report(context, result, options);
}

/** What becomes of an older build is told by that build once it has ended: it may complete before it is stopped. */
function acceptedLine({ output }: CliContext, { buildId, deduplicated }: TriggerReply): string {
  const id = output.paint('bold', buildId);
  if (deduplicated) return `Attached to ${id}: the same source is already being built`;
  return `Build ${id} accepted`;
}

/**
 * Follows a build. The first Ctrl-C (or SIGTERM) stops following and leaves the build alone.
 * @throws CliFailure INTERRUPTED with exit `interrupted`
 */
export function watchUntilInterrupted(
  context: CliContext,
  buildId: string,
  options: ViewOptions,
  view: BuildView = chooseView(context, options),
): Promise<WatchResult> {
  const told = {
    message: `Stopped following ${buildId}; the build continues.`,
    remedy: `Follow it: \`fairlead logs -f ${buildId}\`. End it: \`fairlead cancel ${buildId}\`.`,
    details: { buildId },
  };
  return interruptible(told, (signal) => watchBuild(context.api, buildId, view, signal));
}

function chooseView({ output }: CliContext, options: ViewOptions): BuildView {
  if (output.json) return createJsonView(output, options);
  if (output.quiet) return createSilentView();
  return output.interactive ? createLiveView(output, options) : createPlainView(output, options);
}

function report(context: CliContext, result: WatchResult, options: FollowOptions): number {
  const { output } = context;
  const { build } = result;
  const completed = build.status === 'completed';
  if (output.json) {
    const error = { code: failureCode(build), message: failureMessage(build), step: build.failure?.step ?? null };
    output.event('result', completed ? { success: true, data: build } : { success: false, error, data: build });
  } else if (completed) reportSuccess(context, build);
  else reportFailure(context, result, options);
  return exitCode(completed ? 'ok' : 'failed');
}

function reportSuccess({ output, environment }: CliContext, build: BuildReply): void {
  const url = build.url ?? '';
  if (output.quiet) {
    output.print(url);
    return;
  }
  const took = elapsedMs(build.createdAt, build.finishedAt, new Date()) ?? 0;
  for (const warning of build.warnings ?? []) output.print(output.paint('warn', `! ${printable(warning)}`));
  output.print();
  output.print(
    `${output.paint('good', '✓')} ${output.paint('bold', build.service)} is live in ${build.environment}, after ${formatDuration(took)}`,
  );
  if (url !== '') output.print(`  ${output.paint('link', url)}`);
  const facts = [
    typeof build.commitSha === 'string' ? `commit ${build.commitSha.slice(0, 7)}` : null,
    typeof build.releaseId === 'string' ? `release ${build.releaseId}` : null,
  ].filter((fact) => fact !== null);
  if (facts.length > 0) output.print(`  ${output.paint('dim', facts.join(' · '))}`);
  const at = environment === 'prod' ? '' : ` -e ${environment}`;
  output.print();
  output.print(
    output.paint(
      'dim',
      `Next: fairlead open ${build.service}${at} · fairlead status ${build.service} · fairlead logs ${build.id}`,
    ),
  );
}

function reportFailure(context: CliContext, { build, lines }: WatchResult, options: FollowOptions): void {
  const { output, connection } = context;
  const { paint } = output;
  const failure = build.failure ?? null;
  const step = build.steps?.find((candidate) => candidate.key === failure?.step);
  output.print();
  const where = step === undefined ? '' : ` at “${step.title}”`;
  const what =
    build.reason === 'cancelled' ? 'was cancelled' : build.reason === 'superseded' ? 'was superseded' : 'failed';
  const mark = build.reason === 'superseded' ? paint('dim', '–') : paint('bad', '✗');
  output.print(`${mark} ${paint('bold', `${build.service} ${what}`)}${where}  ${paint('dim', failureCode(build))}`);
  for (const line of failureMessage(build).split('\n')) output.print(`  ${printable(line)}`);
  if (build.supersededBy != null) output.print(`  The newer build: fairlead logs -f ${build.supersededBy}`);
  for (const diagnostic of build.diagnostics ?? []) {
    output.print(`\n  ${paint('bold', printable(diagnostic.title))}`);
    for (const line of diagnostic.lines.slice(-DIAGNOSTIC_LINES)) output.print(paint('dim', `    ${printable(line)}`));
  }
  // Without a terminal the lines were printed as they came.
  const shown = !output.interactive && options.logs !== false && !output.quiet;
  if (!shown) printLastLines(output, lines, step?.key);
  output.print();
  output.print(paint('dim', `Next: ${nextCommands(build)}`));
  if (connection.temporalUi !== null) {
    const workflow = encodeURIComponent(buildWorkflowId(build.id));
    output.print(paint('dim', `Workflow: ${connection.temporalUi}/namespaces/default/workflows/${workflow}`));
  }
}

function printLastLines(output: CliContext['output'], lines: readonly LogLineReply[], step: string | undefined): void {
  const own = lines.filter((line) => line.step === step).slice(-LAST_LINES);
  if (own.length === 0) return;
  output.print(`\n  ${output.paint('bold', 'Last lines of the log')}`);
  for (const line of own) output.print(logLine(line, null, output.paint));
}

function failureCode(build: BuildReply): string {
  return build.failure?.code ?? 'BUILD_FAILED';
}

function failureMessage(build: BuildReply): string {
  return build.failure?.message ?? 'The build failed without an error message; see its log.';
}
