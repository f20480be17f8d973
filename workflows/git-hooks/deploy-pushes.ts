import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityFailure,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  log,
  ParentClosePolicy,
  rootCause,
  setCurrentDetails,
  setHandler,
  startChild,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import { outcome } from '../../domain/git-hooks/delivery.ts';
import {
  type AskedBuild,
  type BuildReport,
  LOOK_REQUESTED,
  type Look,
  type PushedBuild,
  type PushedRef,
  reportWorkflowId,
} from '../../domain/git-hooks/messages.ts';
import { askForBuild, lookAtRef, recordOutcomes } from './activity-proxies.ts';
import { reportBuild } from './report-build.ts';

export interface DeployPushesInput extends PushedRef {
  /** Deliveries that came while the workflow continued as new. */
  readonly waiting?: readonly string[];
}

export const lookRequested = defineSignal<string[]>(LOOK_REQUESTED);

/**
 * Looks at one branch or tag; id `git-push/<connection>/<ref>`. However many deliveries come while it looks, it looks once
 * more for all of them. What a head deploys is asked for with the id that the look gave it, so that a head is built once
 * whatever dies meanwhile. Ends when nobody asks.
 */
export async function deployPushes({ connectionId, ref, waiting = [] }: DeployPushesInput): Promise<void> {
  const asked = [...waiting];
  setHandler(lookRequested, (...deliveryIds) => {
    asked.push(...deliveryIds);
  });
  await condition(() => asked.length > 0, '1 minute');
  while (asked.length > 0) {
    await look({ connectionId, ref }, asked.splice(0));
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof deployPushes>({ connectionId, ref, waiting: asked });
    }
  }
}

async function look(pushed: PushedRef, deliveries: readonly string[]): Promise<void> {
  setCurrentDetails(`looking for ${deliveries.length} deliveries`);
  const { outcomes, builds } = await orUnreachable(pushed, () => lookAtRef({ ...pushed, deliveries }));
  const asked = await Promise.all(builds.map(ask));
  for (const { report } of asked) if (report !== null) await startReport(report);
  try {
    await recordOutcomes({ deliveries, outcomes: [...outcomes, ...asked.map((one) => one.outcome)] });
  } catch (error) {
    // What was pushed meanwhile is looked at all the same.
    log.warn(`What a look decided was not recorded: ${reasonOf(error)}`);
  }
}

async function orUnreachable({ ref }: PushedRef, read: () => Promise<Look>): Promise<Look> {
  try {
    return await read();
  } catch (error) {
    return { outcomes: [outcome('source_unreachable', { ref, message: reasonOf(error) })], builds: [] };
  }
}

async function ask(build: PushedBuild): Promise<AskedBuild> {
  try {
    return await askForBuild(build);
  } catch (error) {
    const { ref, service, environment, commit } = build;
    const about = { ref, service, environment, commit, message: reasonOf(error) };
    return { outcome: outcome('build_refused', about), report: null };
  }
}

/** @throws what is no failure of an activity, such as a cancellation */
function reasonOf(error: unknown): string {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
  return rootCause(error) ?? 'no reason is known';
}

/** Goes on when this workflow ends. A build that several pushes asked for is told of once. */
async function startReport(report: BuildReport): Promise<void> {
  try {
    await startChild(reportBuild, {
      workflowId: reportWorkflowId(report.buildId),
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      args: [{ report }],
      staticSummary: `status of ${report.service} in ${report.environment}`,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
