import { FairleadError } from '../../domain/errors.ts';
import { PART_ROWS, type PartName } from './parts.ts';
import { errorLine } from './terminal.ts';
import type { ResolvedTool, ResolveOptions, Tool } from './tools/resolve-tool.ts';
import { resolveTool } from './tools/resolve-tool.ts';
import { temporalCli } from './tools/temporal-cli.ts';
import { timeSkippingServer } from './tools/time-skipping-server.ts';

/** What an embedded part, or the tests, are served by. */
export type Need = PartName | 'test-temporal' | 'test-server';

export interface ToolNeed {
  readonly need: string;
  readonly title: string;
  /** The variable whose address makes the tool unnecessary. */
  readonly replacedBy?: string;
  /** False where a stack starts without it. */
  readonly always: boolean;
  /** The first that can be had serves. */
  readonly alternatives: readonly Tool[];
}

/** Every tool: those of the embedded parts, and the two that only tests need. */
export const TOOLS: readonly ToolNeed[] = [
  ...PART_ROWS.map(({ name, title, replacedBy, starts, tools }) => {
    return { need: name, title, replacedBy, always: starts === 'always', alternatives: tools };
  }),
  { need: 'test-temporal', title: temporalCli.title, always: true, alternatives: [temporalCli] },
  { need: 'test-server', title: timeSkippingServer.title, always: true, alternatives: [timeSkippingServer] },
];

/** Resolves what serves a need. @throws FairleadError UNAVAILABLE with every way of every alternative */
export async function resolveNeed(need: Need, options: ResolveOptions): Promise<ResolvedTool> {
  return resolveFirst(TOOLS.find((row) => row.need === need)?.alternatives ?? [], options);
}

/**
 * Resolves the first tool of a list that can be had.
 * @param only restricts to one of them by name, where data of its kind exists already
 * @throws FairleadError UNAVAILABLE with every way of every alternative
 */
export async function resolveFirst(
  alternatives: readonly Tool[],
  options: ResolveOptions,
  only?: string,
): Promise<ResolvedTool> {
  const failures: string[] = [];
  for (const tool of alternatives) {
    if (only !== undefined && tool.name !== only) continue;
    try {
      return await resolveTool(tool, options);
    } catch (error) {
      // A path given by hand that does not work is an answer, not a reason to take something else.
      if (options.env[tool.variable]) throw error;
      failures.push(errorLine(error));
    }
  }
  throw new FairleadError('UNAVAILABLE', failures.join('\n'));
}
