import type { ChildSpec } from './child-process.ts';
import type { PartContext } from './parts/embedded-part.ts';
import { PART_ROWS } from './parts.ts';
import { describePart, outsideRows, partVariables, type StackRow, waitingRows } from './stack-parts.ts';
import { type PlatformOptions, platformProcesses, serviceRows } from './stack-processes.ts';
import { workflowBundle } from './workflow-bundle.ts';

/** What a stack consists of. */
export interface DescribedStack {
  /** Every program and address by name, in the order in which people see them. */
  readonly rows: Readonly<Record<string, StackRow>>;
  /** Of the parts that start with the stack. They do not know each other: they start together. */
  readonly servers: readonly ChildSpec[];
  /** The platform's own, which start after the servers, one after the other. */
  readonly processes: readonly ChildSpec[];
}

/** Finds or fetches the tools of the parts, and prepares the platform. @throws FairleadError UNAVAILABLE */
export async function describeStack(
  context: PartContext,
  options: Pick<PlatformOptions, 'ports' | 'secrets' | 'variables' | 'apart'>,
): Promise<DescribedStack> {
  const { dataDir, env, report } = context;
  const rows: Record<string, StackRow> = {};
  const servers: ChildSpec[] = [];
  for (const part of PART_ROWS) {
    const given = env[part.replacedBy];
    if (given) Object.assign(rows, outsideRows(part, given));
    else if (part.starts === 'on first need') Object.assign(rows, waitingRows(part, context));
    else {
      const described = await describePart(part, context);
      Object.assign(rows, described.rows);
      servers.push(...described.children);
    }
  }
  const waiting = PART_ROWS.filter(({ starts, replacedBy }) => starts === 'on first need' && !env[replacedBy]);
  const platform: PlatformOptions = {
    ...options,
    dataDir,
    env,
    bundle: env.WORKFLOW_BUNDLE || (await workflowBundle(env, report)),
    parts: await partVariables(PART_ROWS, context),
    partsOnNeed: waiting.map(({ name }) => name),
  };
  const processes = await platformProcesses(platform);
  for (const { spec, row } of processes) {
    rows[spec.name] = row;
    if (spec.name === 'api') Object.assign(rows, serviceRows(platform, row));
  }
  return { rows, servers, processes: processes.map(({ spec }) => spec) };
}
