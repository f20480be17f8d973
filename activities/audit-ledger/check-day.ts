import { isCheckpointSigned } from '../../domain/audit-ledger/checkpoint.ts';
import { type Day, isClose, type LedgerClose } from '../../domain/audit-ledger/day-close.ts';
import { addDays, dayNumber, endOfDay, startOfDay } from '../../domain/audit-ledger/days.ts';
import { LEDGER_NAMESPACE, type LedgerEvent } from '../../domain/audit-ledger/event.ts';
import { EMPTY_DAY_ROOT } from '../../domain/audit-ledger/merkle-proof.ts';
import { dayCloseKey } from '../../domain/audit-ledger/own-events.ts';
import { type KnownHash, verifyChain } from '../../domain/audit-ledger/verify-chain.ts';
import type { AnchoringDeps } from './anchoring-deps.ts';
import { findClose, readDayClose } from './find-close.ts';
import { latestOwnBatch, type OwnBatchDeps } from './own-batches.ts';
import { closesIn, mayBeNamed, type ProvenCloses, provenCloses, readLedgerClose } from './proven-closes.ts';
import { dayRefused } from './refuse-day.ts';
import { standingRoots } from './standing-roots.ts';

type Deps = OwnBatchDeps & Pick<AnchoringDeps, 'events' | 'checkpoints'>;

export interface DayCheck {
  readonly day: Day;
  /** The ledger's close of the day. */
  readonly ledgerClose: LedgerEvent;
  /** True when a chain holds a root of the day: what is built must lead to it, which proves more than the days around it do. */
  readonly stands: boolean;
  /** Is told each event of the day, in the order of namespace and chain, and after those of a namespace its close. */
  readonly add: (event: LedgerEvent) => void;
  readonly signal: AbortSignal;
}

/**
 * What the check of a day builds on: the closes of the day before, which the root of its batch proves; `chains`: nothing
 * was batched before, and every chain is checked from its first event on; `day`: the day before was refused, and the check
 * begins with the day itself, so that one day that was tampered with does not block all later ones.
 */
type Ground = ProvenCloses | 'chains' | 'day';

/** What surrounds a day. */
interface Surroundings {
  readonly ground: Ground;
  /** Closes of the day after, where that has a batch already: the day must lead to them. */
  readonly following: ProvenCloses | null;
}

/** The part of a chain that the night closed. */
interface Part {
  readonly namespace: string;
  /** The close of the namespace, and the last event of the night: the close of the ledger in its own chain. */
  readonly close: LedgerEvent;
  readonly last: LedgerEvent;
}

/**
 * Checks the chains of all namespaces from the closes of the day before to those of the day: hashes, links, times, the
 * counts of the closes, the signed checkpoints of the day, and that the ledger's close names every namespace.
 * @throws ANCHOR_REFUSED for the first thing wrong
 */
export async function checkDay(deps: Deps, check: DayCheck): Promise<void> {
  const { day, ledgerClose } = check;
  const { namespaces } = readLedgerClose(ledgerClose);
  const listed = new Set(namespaces.map(({ namespace }) => namespace));
  for (const namespace of await deps.events.namespaces()) {
    if (!listed.has(namespace)) await assertWithoutEvents(deps, namespace, day);
  }
  const around = { ground: await groundOf(deps, check), following: await closesAfter(deps, check) };
  for (const listing of namespaces) await checkNamespace(deps, check, around, listing);
  // Its chain begins with the first night: it has no close of days before, and one of the ledger all the same.
  if (!listed.has(LEDGER_NAMESPACE)) {
    await checkChain(deps, check, around, { namespace: LEDGER_NAMESPACE, close: ledgerClose, last: ledgerClose });
  }
}

async function assertWithoutEvents({ events }: Deps, namespace: string, day: Day): Promise<void> {
  for await (const { eventType, chainIndex } of events.streamBetween(namespace, startOfDay(day), endOfDay(day))) {
    if (!isClose(eventType)) throw dayRefused(day, namespace, `the close of the ledger leaves out event ${chainIndex}`);
  }
}

/** @throws ANCHOR_REFUSED when the day before had a batch, and has none now: it was not refused, and something hides it */
async function groundOf(deps: Deps, { day, ledgerClose, stands }: DayCheck): Promise<Ground> {
  if (stands) return 'day';
  const before = addDays(day, -1);
  const closes = await provenCloses(deps, before, day);
  if (closes !== null) return closes === 'empty' ? 'chains' : closes;
  const [lost] = await standingRoots(deps, before);
  if (lost !== undefined && lost.root !== EMPTY_DAY_ROOT) {
    const reason = `${before} has no batch, and its root ${lost.root} stands on chain ${lost.chainId}`;
    throw dayRefused(day, LEDGER_NAMESPACE, reason);
  }
  const { previousRoot } = readLedgerClose(ledgerClose);
  if (!(await mayBeNamed(deps, day, previousRoot))) {
    throw dayRefused(
      day,
      LEDGER_NAMESPACE,
      `its close names the root ${previousRoot} of a day before, and no batch has it`,
    );
  }
  return (await latestOwnBatch(deps, day)) === null ? 'chains' : 'day';
}

async function closesAfter(deps: Deps, { day, stands }: DayCheck): Promise<ProvenCloses | null> {
  const closes = stands ? null : await provenCloses(deps, addDays(day, 1), day);
  return closes === 'empty' ? null : closes;
}

async function checkNamespace(
  deps: Deps,
  check: DayCheck,
  around: Surroundings,
  { namespace, closeHash, count }: LedgerClose['namespaces'][number],
): Promise<void> {
  const { day, ledgerClose, add } = check;
  const close = await findClose(deps, namespace, dayCloseKey(day));
  if (close === null) throw dayRefused(day, namespace, 'its close is missing');
  if (close.eventHash !== closeHash || readDayClose(close).count !== count) {
    throw dayRefused(day, namespace, 'its close is not the one that the close of the ledger names');
  }
  const last = namespace === LEDGER_NAMESPACE ? ledgerClose : close;
  await checkChain(deps, check, around, { namespace, close, last });
  add(close);
}

/** Checks a chain up to an event of the night, and beyond it where a checkpoint says that it went on. */
async function checkChain(
  deps: Deps,
  { day, add, signal }: DayCheck,
  { ground, following }: Surroundings,
  { namespace, close, last }: Part,
): Promise<void> {
  const proven = [ground, following].filter((closes) => closes !== null && typeof closes === 'object');
  const closes = await Promise.all(proven.map((of) => closesIn(deps, of, namespace, day)));
  const signed = await checkpointsOf(deps, namespace, day);
  const known = [...closes.flat(), { chainIndex: last.chainIndex, eventHash: last.eventHash }, ...signed];
  const from = await startOf(deps, ground, day, close);
  const end = Math.max(...known.map(({ chainIndex }) => chainIndex));
  const [start, after] = [startOfDay(day), endOfDay(day)];
  const verdict = await verifyChain(deps.events.pages(namespace, from, end), {
    known: known.toSorted((left, right) => left.chainIndex - right.chainIndex),
    required: [close.eventHash],
    part: { from, day: dayNumber(day) },
    look(event) {
      signal.throwIfAborted();
      if (event.createdAt >= start && event.createdAt < after && !isClose(event.eventType)) add(event);
    },
  });
  if (!verdict.valid)
    throw dayRefused(day, namespace, `the chain is broken at ${verdict.brokenAt} (${verdict.reason})`);
}

/** Chain index that the check of a namespace begins at. @param close of the day */
async function startOf(deps: Deps, ground: Ground, day: Day, { namespace, chainIndex }: LedgerEvent): Promise<number> {
  if (ground === 'chains') return 0;
  // A namespace without a close has begun since.
  if (ground !== 'day' && !ground.hashes.has(namespace)) return 0;
  const close = await findClose(deps, namespace, dayCloseKey(addDays(day, -1)));
  const first = await firstEventOf(deps, namespace, day);
  const index = Math.min(chainIndex, first ?? chainIndex, close?.chainIndex ?? chainIndex);
  // With the event before: were its time changed, it would belong to no day.
  return ground === 'day' ? index : Math.max(0, index - 1);
}

/** Chain index of the first event of a day that is no close. */
async function firstEventOf({ events }: Deps, namespace: string, day: Day): Promise<number | null> {
  for await (const { eventType, chainIndex } of events.streamBetween(namespace, startOfDay(day), endOfDay(day))) {
    if (!isClose(eventType)) return chainIndex;
  }
  return null;
}

/** What was signed on the day: 25 checkpoints at most, the first of the next day included. */
async function checkpointsOf(deps: Deps, namespace: string, day: Day): Promise<readonly KnownHash[]> {
  const known: KnownHash[] = [];
  for await (const checkpoint of deps.checkpoints.stream(namespace, { from: startOfDay(day), to: endOfDay(day) })) {
    const forged = !isCheckpointSigned(checkpoint, deps.ledgerName, deps.signer.keys);
    known.push({ chainIndex: checkpoint.size - 1, eventHash: checkpoint.head, forged });
  }
  return known;
}
