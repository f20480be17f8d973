import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  condition,
  continueAsNew,
  defineSignal,
  ParentClosePolicy,
  patched,
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
import { MOST_SIGNALS } from './most-signals.ts';
import { reportBuild } from './report-build.ts';
import { orNotRecorded, reasonOf, tellOldest } from './tell-oldest.ts';

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
  const pushed = { connectionId, ref };
  const asked = [...waiting];
  let signals = 0;
  setHandler(lookRequested, (...deliveryIds) => {
    signals += 1;
    asked.push(...deliveryIds);
  });
  const isFull = () => workflowInfo().continueAsNewSuggested || (signals >= MOST_SIGNALS && patched('bounded-signals'));
  await condition(() => asked.length > 0, '1 minute');
  while (asked.length > 0) {
    const deliveries = asked.splice(0);
    setCurrentDetails(`looking for ${deliveries.length} deliveries`);
    const reading = orUnreachable(pushed, () => lookAtRef({ ...pushed, deliveries }));
    const read = await Promise.race([reading, condition(() => isFull() && patched('bounded-signals'))]);
    // A host that is waited for may take long. Reading decides nothing, so the next run does it again for all.
    if (read === undefined) asked.splice(0, 0, ...deliveries);
    else await carryOut(read, deliveries);
    if (!isFull()) continue;
    await tellOldest(asked, ref);
    await continueAsNew<typeof deployPushes>({ ...pushed, waiting: asked });
  }
}

/** Asks for the builds that a look decided on, and says so to its deliveries. */
async function carryOut({ outcomes, builds }: Look, deliveries: readonly string[]): Promise<void> {
  const asked = await Promise.all(builds.map(ask));
  for (const { report } of asked) if (report !== null) await startReport(report);
  const decided = [...outcomes, ...asked.map((one) => one.outcome)];
  await orNotRecorded(() => recordOutcomes({ deliveries, outcomes: decided }));
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
