import { type GitDelivery, type LookReason, outcome } from '../../domain/git-hooks/delivery.ts';
import type { MovedRef } from '../../domain/git-hooks/messages.ts';
import type { Compared, Moved } from './compare-heads.ts';
import type { GitHooksActivityDeps } from './deps.ts';
import { keepPoll, type ScanInput } from './keep-poll.ts';

/** Of one look at all: a branch or tag, for a service and environment. Each is an outcome of a delivery at most. */
export const MOST_LOOKS = 1_000;
/** Outcomes of what is noted that one delivery lists, and branches and tags that several deliveries list. */
const MOST_OUTCOMES = 50;
/** Deliveries to which each branch adds what it decided; of more at once, the others refer to the first. */
const MOST_TOLD = 20;

interface Found extends Compared {
  readonly refs: ReadonlyMap<string, string>;
  readonly asking: readonly GitDelivery[];
}

/**
 * Says which deliveries are told what each branch or tag deploys, and tells those that need no look. Of more that moved than
 * one look takes, what is left is said to those who asked: it stays unknown, so the next look begins with it.
 */
export async function tellMoved(
  deps: GitHooksActivityDeps,
  input: ScanInput,
  found: Found,
): Promise<readonly MovedRef[]> {
  const { moved, noted } = found;
  const looked = moved.slice(0, countWithin(moved, MOST_LOOKS));
  const named = namedBy(found.asking);
  const isOfAll = new Set(input.deliveries);
  for (const id of [...named.values()].flat()) isOfAll.delete(id);
  const general = [...isOfAll];
  await tellNamed(deps, named, { ...found, looked });
  const isUnasked = looked.some(({ ref }) => !named.has(ref)) && general.length === 0;
  if (isUnasked) general.push(await keepPoll(deps, input));
  const told = general.slice(0, looked.length > MOST_OUTCOMES ? 1 : MOST_TOLD);
  await tellGeneral(deps, general, {
    told: looked.length === 0 ? general : told,
    first: noted.slice(0, MOST_OUTCOMES).map(({ key: { ref } }) => ref),
    looked: looked.length,
    left: moved.length - looked.length,
  });
  return looked.map(({ ref }) => ({ ref, deliveries: [...(named.get(ref) ?? []), ...told] }));
}

/** How many come first whose targets are no more than that; one at least. */
function countWithin(moved: readonly Moved[], most: number): number {
  let targets = 0;
  const over = moved.findIndex((one, index) => {
    targets += one.targets;
    return targets > most && index > 0;
  });
  return over === -1 ? moved.length : over;
}

function namedBy(asking: readonly GitDelivery[]): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>();
  for (const { id, ref } of asking) if (ref !== null) named.set(ref, [...(named.get(ref) ?? []), id]);
  return named;
}

const LEFT = 'Ask for a look again: it begins with what is left';

/** Deliveries that name a branch or tag which is not looked at now. */
async function tellNamed(
  { gitDeliveries }: GitHooksActivityDeps,
  named: ReadonlyMap<string, readonly string[]>,
  { refs, moved, noted, looked }: Found & { readonly looked: readonly Moved[] },
): Promise<void> {
  const isLooked = new Set(looked.map(({ ref }) => ref));
  const isLeft = new Set(moved.map(({ ref }) => ref));
  const isNoted = new Set(noted.map(({ key }) => key.ref));
  const told = new Map<LookReason, string[]>();
  for (const [ref, ids] of named) {
    if (isLooked.has(ref)) continue;
    const ofHead = isNoted.has(ref) ? 'first_look' : 'unchanged';
    const reason = isLeft.has(ref) ? 'too_many' : refs.has(ref) ? ofHead : 'ref_deleted';
    told.set(reason, [...(told.get(reason) ?? []), ...ids]);
  }
  for (const [reason, ids] of told) {
    await gitDeliveries.decide(ids, [outcome(reason, { message: reason === 'too_many' ? LEFT : null })]);
  }
}

interface ToGeneral {
  readonly told: readonly string[];
  /** Branches and tags that were noted. */
  readonly first: readonly string[];
  readonly looked: number;
  readonly left: number;
}

/** Deliveries that ask for all branches and tags. */
async function tellGeneral(
  { gitDeliveries }: GitHooksActivityDeps,
  general: readonly string[],
  { told, first, looked, left }: ToGeneral,
): Promise<void> {
  const message = `${left} of ${looked + left} that moved are left. ${LEFT}`;
  const outcomes = [
    ...first.map((ref) => outcome('first_look', { ref })),
    ...(left === 0 ? [] : [outcome('too_many', { message })]),
  ];
  const all = outcomes.length === 0 && looked === 0 ? [outcome('unchanged')] : outcomes;
  if (all.length > 0) await gitDeliveries.decide(told, all);
  const others = general.slice(told.length);
  if (others.length === 0) return;
  await gitDeliveries.decide(others, [outcome('unchanged', { message: `Looked at with ${told[0] ?? ''}` })]);
}
