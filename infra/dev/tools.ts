import { FairleadError } from '../../domain/errors.ts';
import { errorLine } from './terminal.ts';
import { anvil } from './tools/anvil.ts';
import { imageRegistry } from './tools/image-registry.ts';
import { mongod, mongoStandIn } from './tools/mongo.ts';
import type { ResolvedTool, ResolveOptions, Tool } from './tools/resolve-tool.ts';
import { resolveTool } from './tools/resolve-tool.ts';
import { temporalCli } from './tools/temporal-cli.ts';
import { timeSkippingServer } from './tools/time-skipping-server.ts';

/** What a part of the stack is served by: the first alternative that can be had. */
export interface ToolNeed {
  readonly need: 'temporal' | 'mongo' | 'registry' | 'chain' | 'test-server';
  /** The variable whose address makes the tool unnecessary. */
  readonly replacedBy?: string;
  readonly alternatives: readonly Tool[];
}

/** The one table of tools. */
export const TOOLS = [
  { need: 'temporal', replacedBy: 'TEMPORAL_ADDRESS', alternatives: [temporalCli] },
  { need: 'mongo', replacedBy: 'MONGODB_URI', alternatives: [mongod, mongoStandIn] },
  { need: 'registry', replacedBy: 'DOCKER_REGISTRY', alternatives: [imageRegistry] },
  { need: 'chain', replacedBy: 'AUDIT_CHAINS', alternatives: [anvil] },
  { need: 'test-server', alternatives: [timeSkippingServer] },
] as const satisfies readonly ToolNeed[];

export type Need = (typeof TOOLS)[number]['need'];

/**
 * Resolves what serves a need.
 * @param only restricts to one alternative by name, where data of its kind exists already
 * @throws FairleadError UNAVAILABLE with every way of every alternative
 */
export async function resolveNeed(need: Need, options: ResolveOptions, only?: string): Promise<ResolvedTool> {
  const row = TOOLS.find((candidate) => candidate.need === need);
  const alternatives: readonly Tool[] = row?.alternatives ?? [];
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
