import {
  allHandlersFinished,
  CancellationScope,
  ChildWorkflowFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  isCancellation,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import type { PausedBuild, WaitingView } from '../../domain/deploys/build-wait.ts';
import {
  BUILD_SUPERSEDED,
  BUILDS_IN_HAND,
  type BuildSuperseded,
  buildWorkflowId,
  CANCEL_BUILD,
  type CancelOutcome,
  DEVIATION_FOUND,
  GRANT_DECIDED,
  REMOVE_TARGET,
  REQUEST_DEPLOY,
  REQUEST_RESTART,
  type TargetRemoval,
  type TriggerOutcome,
  WAITING_BUILD,
} from '../../domain/deploys/messages.ts';
import type { RestartOutcome, RestartRequest } from '../../domain/deploys/restart.ts';
import { createMutex } from '../mutex.ts';
import { local, reliable } from './activity-proxies.ts';
import { awaitDecision } from './await-decision.ts';
import { type CoordinatorInput, carriedOver } from './coordinator-input.ts';
import {
  askedToWait,
  endIdle,
  finishIdle,
  type OpenBuild,
  pausedLonger,
  resume,
  tellToWait,
  waitingView,
} from './idle-build.ts';
import {
  type BuildsInFlight,
  findSameBuild,
  idsInFlight,
  isInFlight,
  isRestartNext,
  mayBeJoined,
  whileAtHand,
} from './join-build.ts';
import { createRepairs, type Repairs } from './repairs.ts';
import { requestRestart } from './request-restart.ts';
import { startBuild } from './start-build.ts';

const IDLE_BEFORE_END = '30s';
/** How long a cancel request waits to see the build really end. */
const CANCEL_WAIT = '8s';

interface Coordinator extends BuildsInFlight {
  /** How often a decision was told. */
  decisions: number;
  /** Builds, repairs and removals act one after the other, each in an epoch of its own. */
  readonly oneAtATime: Mutex;
  readonly repairs: Repairs;
}

type Mutex = ReturnType<typeof createMutex>;

/**
 * Decides deduplication and order for one service and environment; id `deploys/<service>/<env>`, reached by
 * update-with-start. Builds run one after another as child workflows; a newer request supersedes a build that has not
 * begun to install, and waits for one that has. Repairs of what serves, and the removal of the service, come between
 * builds. A restart with new credentials is a build that replaces none of people's, and comes before one that waits. A build that waits for a decision is kept here, without a workflow of its own, until the signal
 * `grantDecided`, its deadline, its cancellation or a newer request. Ends when nothing is left to do; the next request starts it again.
 */
export async function coordinateDeploys(input: CoordinatorInput): Promise<void> {
  const { waiting, plan = null, resumed, paused = null } = input;
  const oneAtATime = createMutex();
  const state: Coordinator = {
    current: null,
    waiting: waiting === null ? null : { request: waiting, plan, ...(resumed === undefined ? {} : { resumed }) },
    paused,
    isOpeningRestart: false,
    decisions: 0,
    atHand: new Set(),
    oneAtATime,
    repairs: createRepairs({ service: input.service, environment: input.environment }, oneAtATime),
  };
  const exclusively = createMutex();

  setHandler(defineUpdate<TriggerOutcome, [BuildRequest]>(REQUEST_DEPLOY), (request) =>
    whileAtHand(state, request.buildId, () => exclusively(() => requestDeploy(state, request))),
  );
  setHandler(defineUpdate<RestartOutcome, [RestartRequest]>(REQUEST_RESTART), (request) =>
    whileAtHand(state, request.buildId, () => exclusively(() => requestRestart(state, request))),
  );
  setHandler(defineUpdate<CancelOutcome, [string]>(CANCEL_BUILD), (buildId) => cancelBuild(state, buildId));
  setHandler(defineUpdate<void, [TargetRemoval]>(REMOVE_TARGET), async (removal) => {
    // Requests that came before have opened their builds by then; later ones are refused.
    await exclusively(async () => undefined);
    await removeTarget(state, removal);
  });
  setHandler(defineSignal(GRANT_DECIDED), () => {
    state.decisions += 1;
  });
  setHandler(defineQuery<WaitingView | null>(WAITING_BUILD), () => waitingView(state.paused));
  setHandler(defineQuery<readonly string[]>(BUILDS_IN_HAND), () => [...idsInFlight(state), ...state.atHand]);
  setHandler(defineSignal(DEVIATION_FOUND), () => state.repairs.request(() => state.waiting === null));

  while (await hasWork(state)) {
    await oneAtATime(() => runWaitingBuild(state));
    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      const { service, environment } = input;
      await continueAsNew<typeof coordinateDeploys>({ service, environment, ...carriedOver(state) });
    }
  }
}

async function runWaitingBuild(state: Coordinator): Promise<void> {
  const build = state.waiting;
  if (build === null) return;
  state.waiting = null;
  await superviseBuild(state, build);
}

/** Takes what runs of a service away, after a build that is at work. One that waits for a decision has nothing to wait for. */
async function removeTarget(state: Coordinator, removal: TargetRemoval): Promise<void> {
  state.repairs.cancel();
  await state.oneAtATime(async () => {
    setCurrentDetails('removing the service');
    await endPaused(state, 'cancelled', null);
    const { service, environment } = removal;
    const epoch = await local.takeEpoch({ service, environment });
    await reliable('Take the route away, remove the workloads').removeTarget({ ...removal, epoch });
  });
}

/** Waits for a request. False when the workflow may end: idle for a while and no handler is at work. */
async function hasWork(state: Coordinator): Promise<boolean> {
  if (state.paused !== null && !isRestartNext(state)) {
    await superviseWait(state, state.paused);
    return true;
  }
  setCurrentDetails('idle');
  while (!(await condition(() => state.waiting !== null, IDLE_BEFORE_END))) {
    if (allHandlersFinished()) return false;
  }
  return true;
}

async function requestDeploy(state: Coordinator, request: BuildRequest): Promise<TriggerOutcome> {
  const own: TriggerOutcome = { buildId: request.buildId, deduplicated: false, supersededBuildId: null };
  if (isInFlight(state, request.buildId) && patched('answer-own-build')) return own;
  const buildId = await findSameBuild(state, request);
  if (buildId !== null) {
    await local.noteAttached({ buildId, request });
    await waitAsWell(state, buildId, request);
    return { buildId, deduplicated: true, supersededBuildId: null };
  }
  // A worker of version 0.1 answers nothing.
  const plan = (await local.openBuild(request)) ?? null;
  // Of a request that comes late, what replaced its build meanwhile stays.
  if (plan === 'ended') return own;
  if (plan !== null && 'attachedTo' in plan) {
    return { buildId: plan.attachedTo, deduplicated: true, supersededBuildId: null };
  }
  const obsolete = await makeObsolete(state, request.buildId);
  // It was told, and began to wait for a decision all the same, or a restart ran beside one that waits: the new build must
  // not wait behind it.
  const late = state.paused !== null && patched('end-paused-late');
  const ended = late ? await endPaused(state, 'superseded', request.buildId) : null;
  const supersededBuildId = ended ?? obsolete;
  state.waiting = { request, plan };
  // What does not serve may be what the build is to mend: it does not wait for the repair.
  state.repairs.cancel();
  return { ...own, supersededBuildId };
}

/** Ends what the new build replaces: a waiting request at once, a running build unless it has begun to install. */
async function makeObsolete(state: Coordinator, by: string): Promise<string | null> {
  const obsolete = state.waiting;
  if (obsolete !== null) {
    state.waiting = null;
    const { buildId } = obsolete.request;
    await whileAtHand(state, buildId, () => endIdle(obsolete, 'superseded', by));
    return buildId;
  }
  const { current } = state;
  if (current === null) return await endPaused(state, 'superseded', by);
  const running = current.request.buildId;
  if (!mayBeJoined(state, running)) return null;
  const message: BuildSuperseded = { by };
  try {
    await getExternalWorkflowHandle(buildWorkflowId(running)).signal(BUILD_SUPERSEDED, message);
    current.calledOff = true;
    return running;
  } catch {
    // It has just ended, or begun to wait for a decision, which is known here in a moment.
    await condition(() => state.current?.request.buildId !== running);
    return await endPaused(state, 'superseded', by);
  }
}

/** @returns the id of the build that waited for a decision; null when none did */
async function endPaused(
  state: Coordinator,
  reason: 'superseded' | 'cancelled',
  supersededBy: string | null,
): Promise<string | null> {
  const { paused } = state;
  if (paused === null) return null;
  state.paused = null;
  const { buildId } = paused.request;
  await whileAtHand(state, buildId, () => endIdle(paused, reason, supersededBy));
  return buildId;
}

/** One who attaches to a build and waits for grants: so does the build then. */
async function waitAsWell(state: Coordinator, buildId: string, { waitForGrantsSeconds }: BuildRequest): Promise<void> {
  if (waitForGrantsSeconds === undefined) return;
  if (state.waiting?.request.buildId === buildId) state.waiting = askedToWait(state.waiting, waitForGrantsSeconds);
  else if (state.current?.request.buildId === buildId) {
    if (await tellToWait(buildId, waitForGrantsSeconds)) return;
    // It has just ended, or begun to wait, which is known here in a moment.
    await condition(() => state.current?.request.buildId !== buildId);
  }
  if (state.paused?.request.buildId === buildId) state.paused = pausedLonger(state.paused, waitForGrantsSeconds);
}

async function cancelBuild(state: Coordinator, buildId: string): Promise<CancelOutcome> {
  if (state.waiting?.request.buildId === buildId) {
    const { waiting } = state;
    state.waiting = null;
    await whileAtHand(state, buildId, () => endIdle(waiting, 'cancelled', null));
    return 'cancelled';
  }
  if (state.paused?.request.buildId === buildId) {
    await endPaused(state, 'cancelled', null);
    return 'cancelled';
  }
  if (state.current?.request.buildId !== buildId) return 'finished';
  state.current.calledOff = true;
  state.current.scope.cancel();
  const ended = await condition(() => state.current?.request.buildId !== buildId, CANCEL_WAIT);
  return ended ? 'cancelled' : 'cancelling';
}

async function superviseBuild(state: Coordinator, build: OpenBuild): Promise<void> {
  const scope = new CancellationScope();
  state.current = { ...build, scope, calledOff: false };
  setCurrentDetails(`running ${build.request.buildId}`);
  try {
    const { paused } = await scope.run(() => startBuild(build));
    if (paused !== undefined) await keepPaused(state, paused, scope.consideredCancelled);
  } catch (error) {
    // The build writes its own end; reaching this line means that it was terminated, timed out or never started.
    const cancelled = isCancellation(error) && !(error instanceof ChildWorkflowFailure);
    await endIdle(build, cancelled ? 'cancelled' : 'abandoned', null);
  } finally {
    state.current = null;
  }
}

/** Keeps a build that waits, unless its end was asked for while its workflow ended. */
async function keepPaused(state: Coordinator, paused: PausedBuild, isCancelled: boolean): Promise<void> {
  if (isCancelled) await endIdle(paused, 'cancelled', null);
  else if (state.waiting !== null) await endIdle(paused, 'superseded', state.waiting.request.buildId);
  else state.paused = paused;
}

/** Returns when the build goes on, has ended, or other work came. */
async function superviseWait(state: Coordinator, paused: PausedBuild): Promise<void> {
  setCurrentDetails(`${paused.request.buildId} waits until ${paused.until}: ${paused.failure.message}`);
  const isOver = () => state.paused !== paused || workflowInfo().continueAsNewSuggested || isRestartNext(state);
  const decision = await awaitDecision(paused, { told: () => state.decisions, isOver });
  if (decision === null) return;
  // Between the decision and this line, a handler may have ended the build, or let it wait longer.
  if (state.paused !== paused && patched('decided-too-late')) return;
  if (state.isOpeningRestart) {
    await condition(() => !state.isOpeningRestart);
    // What is decided is read once more after the restart.
    if (state.paused !== paused || isRestartNext(state)) return;
  }
  state.paused = null;
  if (decision === 'granted') {
    state.waiting = resume(paused);
    return;
  }
  const end = { reason: 'step_failed', failure: decision, supersededBy: null } as const;
  await whileAtHand(state, paused.request.buildId, () => finishIdle(paused.request, end));
}
