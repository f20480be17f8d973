import {
  allHandlersFinished,
  CancellationScope,
  ChildWorkflowFailure,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  executeChild,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { BuildRequest, FailureReason, PlannedStep } from '../../domain/deploys/build.ts';
import { decideTrigger, isHeldToSame } from '../../domain/deploys/deduplicate.ts';
import {
  BUILD_SUPERSEDED,
  type BuildSuperseded,
  buildWorkflowId,
  CANCEL_BUILD,
  type CancelOutcome,
  DEVIATION_FOUND,
  REMOVE_TARGET,
  REQUEST_DEPLOY,
  type TargetRemoval,
  type TriggerOutcome,
} from '../../domain/deploys/messages.ts';
import { createMutex } from '../mutex.ts';
import { ENVIRONMENT, ORG, SERVICE, STAGE } from '../search-attributes.ts';
import { local, reliable, resolveHead } from './activity-proxies.ts';
import { createRepairs, type Repairs } from './repairs.ts';
import { runBuild } from './run-build.ts';

export interface CoordinatorInput {
  readonly service: string;
  readonly environment: BuildRequest['environment'];
  /** The request that waited when the workflow continued as new. */
  readonly waiting: BuildRequest | null;
  /** Its plan; absent when a worker of version 0.1 opened the build. */
  readonly plan?: BuildPlan;
}

/** What a build's record has to run; null when a worker of version 0.1 opened the build. */
type BuildPlan = readonly PlannedStep[] | null;

interface OpenBuild {
  readonly request: BuildRequest;
  readonly plan: BuildPlan;
}

const IDLE_BEFORE_END = '30s';
/** How long a cancel request waits to see the build really end. */
const CANCEL_WAIT = '8s';

interface RunningBuild extends OpenBuild {
  readonly scope: CancellationScope;
}

interface Coordinator {
  current: RunningBuild | null;
  /** At most one: a newer request makes an older one that waits obsolete. */
  waiting: OpenBuild | null;
  /** Builds, repairs and removals act one after the other, each in an epoch of its own. */
  readonly oneAtATime: Mutex;
  readonly repairs: Repairs;
}

type Mutex = ReturnType<typeof createMutex>;

/**
 * Decides deduplication and order for one service and environment; id `deploys/<service>/<env>`, reached by
 * update-with-start. Builds run one after another as child workflows; a newer request supersedes a build that has not
 * begun to install, and waits for one that has. Repairs of what serves, and the removal of the service, come between
 * builds. Ends when nothing is left to do; the next request starts it again.
 */
export async function coordinateDeploys(input: CoordinatorInput): Promise<void> {
  const { waiting, plan = null } = input;
  const oneAtATime = createMutex();
  const state: Coordinator = {
    current: null,
    waiting: waiting === null ? null : { request: waiting, plan },
    oneAtATime,
    repairs: createRepairs({ service: input.service, environment: input.environment }, oneAtATime),
  };
  const exclusively = createMutex();

  setHandler(defineUpdate<TriggerOutcome, [BuildRequest]>(REQUEST_DEPLOY), (request) =>
    exclusively(() => requestDeploy(state, request)),
  );
  setHandler(defineUpdate<CancelOutcome, [string]>(CANCEL_BUILD), (buildId) => cancelBuild(state, buildId));
  setHandler(defineUpdate<void, [TargetRemoval]>(REMOVE_TARGET), async (removal) => {
    // Requests that came before have opened their builds by then; later ones are refused.
    await exclusively(async () => undefined);
    await removeTarget(state, removal);
  });
  setHandler(defineSignal(DEVIATION_FOUND), () => state.repairs.request(() => state.waiting === null));

  while (await hasWork(state)) {
    await oneAtATime(() => runWaitingBuild(state));
    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof coordinateDeploys>({ ...input, ...carriedOver(state) });
    }
  }
}

function carriedOver({ waiting }: Coordinator): Pick<CoordinatorInput, 'waiting' | 'plan'> {
  return waiting === null ? { waiting: null } : { waiting: waiting.request, plan: waiting.plan };
}

async function runWaitingBuild(state: Coordinator): Promise<void> {
  const build = state.waiting;
  if (build === null) return;
  state.waiting = null;
  await superviseBuild(state, build);
}

/** Takes what runs of a service away, after a build that is at work. */
async function removeTarget(state: Coordinator, removal: TargetRemoval): Promise<void> {
  state.repairs.cancel();
  await state.oneAtATime(async () => {
    setCurrentDetails('removing the service');
    const { service, environment } = removal;
    const epoch = await local.takeEpoch({ service, environment });
    await reliable('Take the route away, remove the workloads').removeTarget({ ...removal, epoch });
  });
}

/** Waits for a request. False when the workflow may end: idle for a while and no handler is at work. */
async function hasWork(state: Coordinator): Promise<boolean> {
  setCurrentDetails('idle');
  while (!(await condition(() => state.waiting !== null, IDLE_BEFORE_END))) {
    if (allHandlersFinished()) return false;
  }
  return true;
}

async function requestDeploy(state: Coordinator, request: BuildRequest): Promise<TriggerOutcome> {
  const inFlight = newestInFlight(state);
  if (inFlight !== null && (await isSameBuild(state, inFlight, request))) {
    await local.noteAttached({ buildId: inFlight.buildId, request });
    return { buildId: inFlight.buildId, deduplicated: true, supersededBuildId: null };
  }
  // A worker of version 0.1 answers nothing.
  const plan: BuildPlan = (await local.openBuild(request)) ?? null;
  const supersededBuildId = await makeObsolete(state, request.buildId);
  state.waiting = { request, plan };
  // What does not serve may be what the build is to mend: it does not wait for the repair.
  state.repairs.cancel();
  return { buildId: request.buildId, deduplicated: false, supersededBuildId };
}

function newestInFlight(state: Coordinator): BuildRequest | null {
  return (state.waiting ?? state.current)?.request ?? null;
}

async function isSameBuild(state: Coordinator, inFlight: BuildRequest, request: BuildRequest): Promise<boolean> {
  if (!isHeldToSame(inFlight, request) && patched('compare-conventions')) return false;
  const { buildId, kind, source } = inFlight;
  const progress = await local.readSourceProgress(buildId);
  const decision = decideTrigger({ kind, source, ...progress }, request);
  const same =
    decision === 'compare-head' && request.source.kind === 'git'
      ? (await resolveHead({ url: request.source.url, branch: request.source.branch })).commit === progress.commitSha
      : decision === 'attach';
  // The build may have ended while others were asked: then there is nothing to attach to.
  return same && newestInFlight(state)?.buildId === buildId;
}

/** Ends what the new build replaces: a waiting request at once, a running build unless it has begun to install. */
async function makeObsolete(state: Coordinator, by: string): Promise<string | null> {
  const obsolete = state.waiting;
  if (obsolete !== null) {
    state.waiting = null;
    await endUnstarted(obsolete.request, 'superseded', by);
    return obsolete.request.buildId;
  }
  const running = state.current?.request.buildId;
  if (running === undefined) return null;
  const message: BuildSuperseded = { by };
  try {
    await getExternalWorkflowHandle(buildWorkflowId(running)).signal(BUILD_SUPERSEDED, message);
    return running;
  } catch {
    return null; // it has just ended
  }
}

async function cancelBuild(state: Coordinator, buildId: string): Promise<CancelOutcome> {
  if (state.waiting?.request.buildId === buildId) {
    const { request } = state.waiting;
    state.waiting = null;
    await endUnstarted(request, 'cancelled', null);
    return 'cancelled';
  }
  if (state.current?.request.buildId !== buildId) return 'finished';
  state.current.scope.cancel();
  const ended = await condition(() => state.current?.request.buildId !== buildId, CANCEL_WAIT);
  return ended ? 'cancelled' : 'cancelling';
}

async function superviseBuild(state: Coordinator, build: OpenBuild): Promise<void> {
  const { request } = build;
  const scope = new CancellationScope();
  state.current = { ...build, scope };
  setCurrentDetails(`running ${request.buildId}`);
  try {
    await scope.run(() => startBuild(build));
  } catch (error) {
    // The build writes its own end; reaching this line means that it was terminated, timed out or never started.
    const cancelled = isCancellation(error) && !(error instanceof ChildWorkflowFailure);
    await endUnstarted(request, cancelled ? 'cancelled' : 'abandoned', null);
  } finally {
    state.current = null;
  }
}

function startBuild({ request, plan }: OpenBuild) {
  return executeChild(runBuild, {
    workflowId: buildWorkflowId(request.buildId),
    args: [request, plan],
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    staticSummary: `${request.kind} ${request.service} to ${request.environment}`,
    staticDetails: `Requested by ${request.requestedBy} (${request.org}), request ${request.requestId}`,
    memo: { requestId: request.requestId, requestedBy: request.requestedBy },
    typedSearchAttributes: [
      { key: SERVICE, value: request.service },
      { key: ENVIRONMENT, value: request.environment },
      { key: ORG, value: request.org },
      { key: STAGE, value: 'queued' },
    ],
  });
}

/** Writes the terminal record of a build that did not write its own. */
async function endUnstarted(build: BuildRequest, reason: FailureReason, supersededBy: string | null): Promise<void> {
  await CancellationScope.nonCancellable(() =>
    reliable('Write the terminal record').finishBuild({
      build,
      status: 'failed',
      reason,
      failure: { code: END_CODES[reason], message: endMessage(reason, supersededBy), step: null },
      supersededBy,
    }),
  );
}

const END_CODES = {
  step_failed: 'INTERNAL',
  superseded: 'BUILD_SUPERSEDED',
  cancelled: 'BUILD_CANCELLED',
  abandoned: 'BUILD_ABANDONED',
} as const satisfies Record<FailureReason, string>;

function endMessage(reason: FailureReason, supersededBy: string | null): string {
  if (reason === 'superseded') return `Superseded by ${supersededBy} before it started.`;
  if (reason === 'cancelled') return 'Cancelled before it started.';
  return 'The build’s workflow ended without a result: it was terminated or could not start. Trigger it again.';
}
