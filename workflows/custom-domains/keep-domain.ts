import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  isCancellation,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { HolderId } from '../../activities/custom-domains/change-domain.ts';
import { waitAfterDelay } from '../../domain/custom-domains/back-off.ts';
import {
  type AddDomain,
  DOMAIN_QUERIES,
  DOMAIN_SIGNALS,
  DOMAIN_UPDATES,
  type DomainProgress,
  type KeepDomainInput,
  type OfHolder,
} from '../../domain/custom-domains/messages.ts';
import { createMutex } from '../mutex.ts';
import {
  beginRemoval,
  claimDomain,
  observeDomain,
  prepareDomain,
  readHolding,
  removeDomain,
  requireHolding,
} from './activity-proxies.ts';

const IDLE_BEFORE_END = '30s';
/** How long who asks for a look, or a removal, waits for its end. */
const ANSWER_WITHIN = '15s';
/** After a look or a removal that could not be made, as where the database or a vendor was away all the time; at least. */
const WAIT_AFTER_TROUBLE_MS = 5 * 60_000;

interface Keeper {
  /** Whoever has the name; null for nobody. */
  holding: HolderId | null;
  isRemoving: boolean;
  /** Workflow time of the next attempt of a removal that was refused; null for at once. */
  removeAgainAt: number | null;
  /** Workflow time of the next look; null for none. */
  nextLookAt: number | null;
  isAsked: boolean;
  /** Counts the looks that ended. */
  looks: number;
  /** Counts the looks and removals that could not be made since the last one that was. */
  delays: number;
  progress: DomainProgress;
}

const GONE: DomainProgress = { state: 'gone', reason: null };
const isoNow = (): string => new Date(Date.now()).toISOString();

/**
 * Keeps one name; id `domain/<name>`, reached by update-with-start, so that it decides who of many has it. It looks at the
 * name with growing pauses until it is served, or 30 days have passed, and at longer ones afterwards. Ends when there is
 * nothing to look at; the next request starts it again.
 */
export async function keepDomain({ domain }: KeepDomainInput): Promise<void> {
  const keeper: Keeper = {
    ...{ holding: null, isRemoving: false, removeAgainAt: null, nextLookAt: null, isAsked: false },
    ...{ looks: 0, delays: 0, progress: GONE },
  };
  // Requests alone fill a history as well: those for a name that another has. Workflows from before repeat what they did.
  const continuesWhenFull = patched('continues-when-full');
  const isFull = () => continuesWhenFull && workflowInfo().continueAsNewSuggested;
  const exclusively = createMutex();

  setHandler(defineUpdate<void, [AddDomain]>(DOMAIN_UPDATES.add), (request) => exclusively(() => add(keeper, request)));
  for (const [update, isAsked] of [
    [DOMAIN_UPDATES.verify, true],
    [DOMAIN_UPDATES.look, false],
  ] as const) {
    setHandler(defineUpdate<DomainProgress, [OfHolder]>(update), async (of) => {
      await exclusively(async () => lookSoon(keeper, await requireHolding(of), isAsked));
      const { looks } = keeper;
      await condition(() => keeper.looks > looks || keeper.holding === null, ANSWER_WITHIN);
      return keeper.progress;
    });
  }
  setHandler(defineUpdate<'removed' | 'removing', [OfHolder]>(DOMAIN_UPDATES.remove), async (of) => {
    await exclusively(async () => remove(keeper, await beginRemoval(of, isoNow())));
    return (await condition(() => !keeper.isRemoving, ANSWER_WITHIN)) ? 'removed' : 'removing';
  });
  setHandler(defineSignal(DOMAIN_SIGNALS.certificateChanged), () => {
    if (keeper.holding !== null) keeper.nextLookAt = Date.now();
  });
  setHandler(defineQuery<DomainProgress>(DOMAIN_QUERIES.state), () => keeper.progress);

  await exclusively(() => load(keeper, domain));
  while (await hasWork(keeper, isFull)) {
    if (!isFull() || isDue(keeper)) await exclusively(() => work(keeper, domain));
    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      // What was asked for meanwhile is done first: the next run knows of the record alone.
      if (continuesWhenFull && isDue(keeper)) continue;
      await continueAsNew<typeof keepDomain>({ domain });
    }
  }
}

/** What an earlier run has left. A handler that came first has read it already. */
async function load(keeper: Keeper, domain: string): Promise<void> {
  const held = keeper.holding === null ? await readHolding(domain) : null;
  if (held === null) return;
  if (held.isRemoving) remove(keeper, held);
  else if (held.hasFailed) {
    keeper.holding = held;
    keeper.progress = { state: 'failed', reason: null };
  } else lookSoon(keeper, held, false);
}

/** Claims the name; a claim whose record cannot be written is given back. */
async function add(keeper: Keeper, request: AddDomain): Promise<void> {
  const { domain } = request;
  const { holderId, isNew } = await claimDomain(request, isoNow());
  const holding = { domain, holderId };
  try {
    await prepareDomain(holding, { overwrite: request.overwrite, at: isoNow() });
  } catch (error) {
    if (isNew) await CancellationScope.nonCancellable(() => removeDomain(holding, isoNow()));
    throw error;
  }
  lookSoon(keeper, holding, !isNew);
}

function lookSoon(keeper: Keeper, holding: HolderId, isAsked: boolean): void {
  // Of another holder, whose removal made way for this one, nothing is left.
  if (keeper.holding?.holderId !== holding.holderId) keeper.isRemoving = false;
  keeper.holding = holding;
  keeper.nextLookAt = Date.now();
  keeper.isAsked ||= isAsked;
}

function remove(keeper: Keeper, holding: HolderId): void {
  keeper.holding = holding;
  keeper.isRemoving = true;
  keeper.removeAgainAt = null;
  keeper.progress = { state: 'removing', reason: null };
}

/** Workflow time of what comes next; null for nothing. */
const nextAt = ({ isRemoving, removeAgainAt, nextLookAt }: Keeper): number | null =>
  isRemoving ? (removeAgainAt ?? 0) : nextLookAt;

function isDue(keeper: Keeper): boolean {
  const at = nextAt(keeper);
  return at !== null && at <= Date.now();
}

/**
 * Waits until there is something to do, or the history is full. False when the workflow may end: nothing is looked at, and no
 * handler is at work.
 */
async function hasWork(keeper: Keeper, isFull: () => boolean): Promise<boolean> {
  for (;;) {
    const at = nextAt(keeper);
    const isOver = () => isFull() || nextAt(keeper) !== at;
    if (isFull()) return true;
    if (at === null) {
      setCurrentDetails(describe(keeper));
      if (await condition(isOver, IDLE_BEFORE_END)) continue;
      if (allHandlersFinished()) return false;
      continue;
    }
    const waitMs = at - Date.now();
    if (waitMs <= 0 || !(await condition(isOver, waitMs))) return true;
  }
}

async function work(keeper: Keeper, domain: string): Promise<void> {
  const { holding } = keeper;
  if (holding === null) return;
  if (keeper.isRemoving) return await finishRemoval(keeper, holding);
  const { isAsked } = keeper;
  keeper.isAsked = false;
  // A request that comes meanwhile asks for another look.
  keeper.nextLookAt = null;
  await look(keeper, { ...holding, isAsked });
  keeper.looks += 1;
  setCurrentDetails(`**${domain}**: ${describe(keeper)}`);
}

/** What keeps it from being undone, such as a vendor that refuses, may be mended: it is tried for as long as it takes. */
async function finishRemoval(keeper: Keeper, holding: HolderId): Promise<void> {
  try {
    await removeDomain(holding, isoNow());
    Object.assign(keeper, { holding: null, isRemoving: false, nextLookAt: null, delays: 0, progress: GONE });
  } catch (error) {
    if (isCancellation(error)) throw error;
    keeper.delays += 1;
    keeper.removeAgainAt = Date.now() + waitAfterDelay(keeper.delays, Math.random(), WAIT_AFTER_TROUBLE_MS);
    keeper.progress = { state: 'removing', reason: 'It could not be undone yet; it is tried again by itself' };
  }
}

async function look(keeper: Keeper, observation: HolderId & { readonly isAsked: boolean }): Promise<void> {
  try {
    const seen = await observeDomain(observation, isoNow());
    if (seen.kind === 'leaving') remove(keeper, observation);
    else if (seen.kind === 'gone') Object.assign(keeper, { holding: null, progress: GONE });
    else if (seen.kind === 'put off') lookAgain(keeper, observation, seen);
    else {
      keeper.progress = { state: seen.state, reason: seen.reason };
      keeper.delays = 0;
      if (seen.waitMs !== null) keeper.nextLookAt ??= Date.now() + seen.waitMs;
    }
  } catch (error) {
    if (isCancellation(error)) throw error;
    const reason = 'It could not be looked at; the next look comes by itself';
    lookAgain(keeper, observation, { reason, waitMs: WAIT_AFTER_TROUBLE_MS });
  }
}

/** After a look that was none. Of names without number, none keeps the worker busy for good: the waits grow. */
function lookAgain(
  keeper: Keeper,
  { isAsked }: { readonly isAsked: boolean },
  { reason, waitMs }: { readonly reason: string; readonly waitMs: number },
): void {
  keeper.progress = { ...keeper.progress, reason };
  keeper.delays += 1;
  const grown = patched('delays-grow') ? waitAfterDelay(keeper.delays, Math.random(), waitMs) : waitMs;
  keeper.nextLookAt ??= Date.now() + grown;
  keeper.isAsked ||= isAsked;
}

function describe({ holding, progress }: Keeper): string {
  if (holding === null) return 'nobody has it';
  return progress.reason === null ? progress.state : `${progress.state}: ${progress.reason}`;
}
