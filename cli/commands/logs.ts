import { z } from 'zod';
import { isTerminal } from '../../domain/deploys/status.ts';
import { pathOf } from '../api-client.ts';
import type { BuildView } from '../build-view.ts';
import { type CliContext, findBuildId } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { watchUntilInterrupted } from '../follow-command.ts';
import { type BuildReply, type LogLineReply, logLineReply } from '../replies.ts';
import { printable, type Tone } from '../terminal/style.ts';

const PAGE_LINES = 1_000;

const logPage = z.looseObject({ items: z.array(logLineReply) });

/** `fairlead logs [build]`: the log of a build; with `--follow` until it ends. */
export async function logs(
  context: CliContext,
  given: string | undefined,
  options: { follow?: boolean },
): Promise<number> {
  const id = await findBuildId(context, given);
  if (options.follow === true) return followLogs(context, id);
  const lines = await readLines(context, id);
  context.output.document({ buildId: id, items: lines });
  for (const line of lines) context.output.print(fullLine(context, line));
  return exitCode('ok');
}

async function readLines(context: CliContext, id: string): Promise<LogLineReply[]> {
  const lines: LogLineReply[] = [];
  for (;;) {
    const after = lines.at(-1)?.seq ?? 0;
    const request = { method: 'GET', path: pathOf('builds', id, 'logs'), query: { after, limit: PAGE_LINES } } as const;
    const { items } = await context.api.call(logPage, request);
    lines.push(...items);
    if (items.length < PAGE_LINES) return lines;
  }
}

async function followLogs(context: CliContext, id: string): Promise<number> {
  const { output } = context;
  const view = output.json ? undefined : logView(context);
  const { build } = await watchUntilInterrupted(context, id, { logs: true, verbose: false }, view);
  const completed = build.status === 'completed';
  if (output.json) output.event('result', { success: completed, data: build, ...error(build) });
  else output.note(`${id} ${completed ? 'completed' : `failed: ${build.failure?.message ?? 'see above'}`}`);
  return exitCode(completed ? 'ok' : 'failed');
}

function error(build: BuildReply): Record<string, unknown> {
  return isTerminal(build.status) && build.failure != null ? { error: build.failure } : {};
}

/** Log lines alone, in full, as they come. */
function logView(context: CliContext): BuildView {
  const nothing = (): void => {};
  return {
    update: nothing,
    line: (line) => context.output.print(fullLine(context, line)),
    lost: (reason) => context.output.note(`Connection lost (${reason}); trying again for up to a minute`),
    back: () => context.output.note('Connected again'),
    end: nothing,
    close: nothing,
  };
}

function fullLine({ output: { paint } }: CliContext, line: LogLineReply): string {
  const tone: Tone = line.level === 'error' ? 'bad' : line.level === 'warn' ? 'warn' : 'plain';
  const step = (line.step ?? '').padEnd(14);
  return `${paint('dim', `${line.time.slice(11, 19)} ${step}`)} ${paint(tone, printable(line.text))}`;
}
