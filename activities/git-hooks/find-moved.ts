import { type GitConnection, repositoryOf } from '../../domain/git-hooks/connection.ts';
import { type LookOutcome, type LookReason, outcome } from '../../domain/git-hooks/delivery.ts';
import type { HeadKey, KnownHead } from '../../domain/git-hooks/ports.ts';
import { matchesRef, namesOneRef, parseRef, type Ref } from '../../domain/git-hooks/rule.ts';
import type { GitHooksActivityDeps } from './deps.ts';
import { isRefusal } from './look-at-ref.ts';

export interface ScanInput {
  readonly connectionId: string;
  /** Deliveries that asked for it; none where it was due. */
  readonly deliveries: readonly string[];
  /** Id of the delivery to keep for what is found unasked. */
  readonly pollId: string;
}

export interface Scanned {
  /** Minutes until the next look; null for none. */
  readonly pollMinutes: number | null;
}

/** Outcomes that one delivery lists. */
const MOST_OUTCOMES = 50;
/** Deliveries to which each branch adds what it decided; of more at once, the others refer to the first. */
const MOST_TOLD = 20;

/**
 * Looks at all branches and tags that rules match, and has those looked at whose heads are new. Of a pattern, what was there
 * before the first look deploys nothing: it is noted. Can be repeated: a branch that is looked at twice deploys once.
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
  const heads = new Map((await deps.gitHeads.list(connectionId)).map((head) => [keyText(head), head]));
  const asked = await isAskedByHand(deps, deliveries);
  const { moved, noted } = compare(connection, { refs, heads, asked });
  for (const { key, seen } of noted) await deps.gitHeads.set(key, { seen });
  await deps.gitConnections.setBaseline(connectionId, connection.revision, deps.now());
  await requestLooks(deps, input, { moved, noted });
  return { pollMinutes };
}

/** A look by hand deploys the branches that rules name, although nothing was known of them. */
async function isAskedByHand({ gitDeliveries }: GitHooksActivityDeps, ids: readonly string[]): Promise<boolean> {
  return (await gitDeliveries.findMany(ids)).some(({ kind }) => kind !== 'poll');
}

interface Noted {
  readonly key: HeadKey;
  readonly seen: string;
}

interface Compared {
  /** Full names. */
  readonly moved: readonly string[];
  readonly noted: readonly Noted[];
}

function compare(
  { id: connectionId, services, baselineAt }: GitConnection,
  known: {
    readonly refs: ReadonlyMap<string, string>;
    readonly heads: ReadonlyMap<string, KnownHead>;
    readonly asked: boolean;
  },
): Compared {
  const moved = new Set<string>();
  const noted: Noted[] = [];
  for (const [ref, seen] of known.refs) {
    const parsed = parseRef(ref);
    if (parsed === null) continue;
    for (const { serviceId, environment, isNamed } of targetsOf(services, parsed)) {
      const key = { connectionId, serviceId, environment, ref };
      const head = known.heads.get(keyText(key));
      if (head?.seen === seen) continue;
      const isNew = head !== undefined || baselineAt !== null || (known.asked && isNamed);
      if (isNew) moved.add(ref);
      else noted.push({ key, seen });
    }
  }
  return { moved: [...moved], noted: noted.filter(({ key }) => !moved.has(key.ref)) };
}

/** Services and environments of a branch or tag, and whether a rule names it alone. */
function targetsOf(services: GitConnection['services'], ref: Ref) {
  return services.flatMap(({ serviceId, rules }) =>
    rules
      .filter((rule) => matchesRef(rule, ref))
      .map((rule) => ({ serviceId, environment: rule.environment, isNamed: namesOneRef(rule) })),
  );
}

function keyText({ serviceId, environment, ref }: HeadKey): string {
  return `${serviceId}/${environment}/${ref}`;
}

async function requestLooks(deps: GitHooksActivityDeps, input: ScanInput, { moved, noted }: Compared): Promise<void> {
  const { connectionId, deliveries } = input;
  const first = noted.slice(0, MOST_OUTCOMES).map(({ key }) => outcome('first_look', { ref: key.ref }));
  if (moved.length === 0) {
    const outcomes = first.length > 0 ? first : [outcome('unchanged')];
    await deps.gitDeliveries.decide(deliveries, outcomes);
    return;
  }
  const told = deliveries.length === 0 ? [await keepPoll(deps, input)] : deliveries.slice(0, MOST_TOLD);
  for (const ref of moved) {
    for (const id of told) await deps.gitHookCommands.look({ connectionId, ref }, id);
  }
  if (first.length > 0) await deps.gitDeliveries.decide(told, first);
  const others = deliveries.slice(MOST_TOLD);
  if (others.length > 0) {
    await deps.gitDeliveries.decide(others, [outcome('unchanged', { message: `Looked at with ${told[0] ?? ''}` })]);
  }
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

async function keepPoll(
  { gitDeliveries, now }: GitHooksActivityDeps,
  { connectionId, pollId }: ScanInput,
): Promise<string> {
  await gitDeliveries.insert({
    ...{ id: pollId, connectionId, kind: 'poll', event: 'poll', providerId: null, ref: null, claimedHead: null },
    ...{
      login: null,
      accountId: null,
      requestedBy: null,
      alreadySeen: false,
      receivedAt: now(),
      state: 'waiting',
      outcomes: [],
    },
  });
  return pollId;
}

/** That git was not reached for long. */
export async function tellUnreachable(
  deps: GitHooksActivityDeps,
  input: ScanInput & { message: string },
): Promise<Scanned> {
  await tell(deps, input, outcome('source_unreachable', { message: input.message }));
  return { pollMinutes: (await deps.gitConnections.find(input.connectionId))?.pollMinutes ?? null };
}
