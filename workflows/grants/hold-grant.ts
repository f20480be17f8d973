import {
  ActivityFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  patched,
  proxyActivities,
  rootCause,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { DecisionInput, GrantsActivities, RequestInput } from '../../activities/grants/index.ts';
import { coordinatorWorkflowId, GRANT_DECIDED } from '../../domain/deploys/messages.ts';
import type { GrantKey } from '../../domain/grants/grant.ts';
import type { GrantView } from '../../domain/grants/grant-schema.ts';
import {
  APPLY_GRANT,
  DECIDE_GRANT,
  GRANT_REMOVED,
  GRANT_STATE,
  OPERATOR_SIGNALS,
  REQUEST_SCOPES,
} from '../../domain/grants/messages.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';
import { createMutex } from '../mutex.ts';

const { requestGrant, recordDecision, applyGrant } = proxyActivities<GrantsActivities>({
  taskQueue: moduleTaskQueue('grants'),
  startToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

export interface GrantInput {
  readonly key: GrantKey;
  /** The grant when the workflow continued as new. */
  readonly grant: GrantView | null;
}

export const requestScopes = defineUpdate<GrantView, [RequestInput]>(REQUEST_SCOPES);
export const decideGrant = defineUpdate<GrantView, [DecisionInput]>(DECIDE_GRANT);
export const applyGrantNow = defineUpdate<void, [GrantKey]>(APPLY_GRANT);
export const grantRemoved = defineSignal<[GrantKey]>(GRANT_REMOVED);
export const grantState = defineQuery<GrantView | null>(GRANT_STATE);

/**
 * One grant, from its first request until one of its services is deleted; id `grant/<client>/<target>`. Requests and
 * decisions come one after the other. The API decides by an update, operators by the signals `approve`, `deny` and
 * `revoke`. The record is written first; then the client at the identity provider is made to agree with it, and a build that
 * may wait for the decision is told.
 */
export async function holdGrant(input: GrantInput): Promise<void> {
  const exclusively = createMutex();
  // Services of the same names may follow deleted ones: then the ids are others.
  let { key, grant } = input;
  let removed = false;

  const show = (next: GrantView): GrantView => {
    grant = next;
    setCurrentDetails(`${next.status}: ${next.holder.name} in ${next.environment} asks for ${next.scopes.join(', ')}`);
    return next;
  };
  const decide = async (decision: DecisionInput): Promise<GrantView> => {
    const next = show(await recordDecision(decision));
    await applyGrant(decision.key);
    if (patched('tell-deploys')) await tellDeploys(decision.key);
    return next;
  };

  setHandler(requestScopes, (request) =>
    exclusively(async () => {
      ({ key } = request);
      removed = false;
      return show(await requestGrant(request));
    }),
  );
  setHandler(decideGrant, (decision) => exclusively(() => decide(decision)));
  setHandler(applyGrantNow, (of) => exclusively(() => applyGrant(of)));
  setHandler(grantState, () => grant);
  setHandler(grantRemoved, (gone) =>
    exclusively(async () => {
      removed ||= isSame(gone, key);
      // Of a service that is gone, nothing is waited for.
      if (patched('tell-of-removal')) await tellDeploys(gone);
    }),
  );
  for (const decision of OPERATOR_SIGNALS) {
    setHandler(defineSignal<[unknown]>(decision), (who) =>
      exclusively(async () => {
        // Of what the workflow shows: a worker that was paused must not decide about what came after.
        const revision = grant?.revision ?? null;
        const transition = { decision, by: operatorName(who), revision, requestId: null };
        try {
          await decide({ key, transition });
        } catch (error) {
          if (!(error instanceof ActivityFailure)) throw error;
          const why = rootCause(error) ?? 'no reason is known';
          setCurrentDetails(`${grant?.status ?? 'unknown'}; the signal ${decision} was refused: ${why}`);
          log.warn(`The signal ${decision} was refused: ${why}`);
        }
      }),
    );
  }

  for (;;) {
    await condition(() => removed || workflowInfo().continueAsNewSuggested);
    await condition(allHandlersFinished);
    if (removed) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof holdGrant>({ key, grant });
  }
}

/** A build of the service that asks may wait for the decision; none does where no coordinator runs. */
async function tellDeploys({ holder, environment }: GrantKey): Promise<void> {
  try {
    await getExternalWorkflowHandle(coordinatorWorkflowId(holder.name, environment)).signal(GRANT_DECIDED);
  } catch (error) {
    if (isCancellation(error)) throw error;
  }
}

function isSame(a: GrantKey, b: GrantKey): boolean {
  return a.holder.serviceId === b.holder.serviceId && a.target.serviceId === b.target.serviceId;
}

function operatorName(who: unknown): string {
  return typeof who === 'string' && who.trim() !== '' ? `operator ${who.trim().slice(0, 100)}` : 'operator';
}
