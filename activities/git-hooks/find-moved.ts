import { repositoryOf } from '../../domain/git-hooks/connection.ts';
import { type LookOutcome, type LookReason, outcome } from '../../domain/git-hooks/delivery.ts';
import type { MovedRef } from '../../domain/git-hooks/messages.ts';
import { compareHeads } from './compare-heads.ts';
import type { GitHooksActivityDeps } from './deps.ts';
import { keepPoll, type ScanInput } from './keep-poll.ts';
import { isRefusal } from './look-at-ref.ts';
import { tellMoved } from './tell-moved.ts';

export interface Scanned {
  /** Minutes until the next look; null for none. */
  readonly pollMinutes: number | null;
  /** Branches and tags to look at; absent where nothing was compared. */
  readonly looks?: readonly MovedRef[];
}

/**
 * Compares all branches and tags that rules match with the heads that are known, and says which to look at. Of a pattern, what
 * was there before the first look deploys nothing: it is noted. Can be repeated: a branch that is looked at twice deploys once.
 * @throws SOURCE_UNREACHABLE, UNAVAILABLE (retryable), or the abort reason
 */
export async function findMoved(deps: GitHooksActivityDeps, input: ScanInput, signal: AbortSignal): Promise<Scanned> {
  const { connectionId, deliveries } = input;
  const connection = await deps.gitConnections.find(connectionId);
  if (connection === null) {
    await deps.gitDeliveries.decide(deliveries, [outcome('connection_removed')]);
    return { pollMinutes: null };
  }
  const { pollMinutes } = connection;
  if (connection.paused) {
    await deps.gitDeliveries.decide(deliveries, [outcome('paused')]);
    return { pollMinutes };
  }
  let refs: ReadonlyMap<string, string>;
  try {
    refs = await deps.refs.readRefs(repositoryOf(connection), signal);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await tell(deps, input, outcome('source_refused', { message: error.message }));
    return { pollMinutes };
  }
  const heads = await deps.gitHeads.list(connectionId);
  const asking = await deps.gitDeliveries.findMany(deliveries);
  const compared = compareHeads(connection, { refs, heads, asking });
  for (const group of inGroups(compared.noted, WRITES_AT_ONCE)) {
    await Promise.all(group.map(({ key, seen }) => deps.gitHeads.set(key, { seen })));
  }
  await deps.gitConnections.setBaseline(connectionId, connection.revision, deps.now());
  return { pollMinutes, looks: await tellMoved(deps, input, { ...compared, refs, asking }) };
}

const WRITES_AT_ONCE = 20;

function inGroups<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Tells who asked; what went wrong unasked is kept once until something else comes. */
async function tell(deps: GitHooksActivityDeps, input: ScanInput, what: LookOutcome): Promise<void> {
  const { connectionId, deliveries } = input;
  if (deliveries.length > 0) return await deps.gitDeliveries.decide(deliveries, [what]);
  const { items } = await deps.gitDeliveries.list(connectionId, { cursor: null, limit: 1 });
  const [newest] = items;
  const isTold =
    newest?.kind === 'poll' && newest.outcomes.some(({ reason }: { reason: LookReason }) => reason === what.reason);
  if (isTold) return;
  await deps.gitDeliveries.decide([await keepPoll(deps, input)], [what]);
}

/** That git was not reached for long. */
export async function tellUnreachable(
  deps: GitHooksActivityDeps,
  input: ScanInput & { message: string },
): Promise<Scanned> {
  await tell(deps, input, outcome('source_unreachable', { message: input.message }));
  return { pollMinutes: (await deps.gitConnections.find(input.connectionId))?.pollMinutes ?? null };
}
