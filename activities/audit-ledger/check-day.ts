import { readPayload } from '../../domain/audit-ledger/canonical.ts';
import { isCheckpointSigned } from '../../domain/audit-ledger/checkpoint.ts';
import { type Day, isClose, type LedgerClose } from '../../domain/audit-ledger/day-close.ts';
import { addDays, dayNumber, endOfDay, startOfDay } from '../../domain/audit-ledger/days.ts';
import { type Hash, LEDGER_NAMESPACE, type LedgerEvent } from '../../domain/audit-ledger/event.ts';
import { hashOfEvent } from '../../domain/audit-ledger/hash.ts';
import { rootOfProof } from '../../domain/audit-ledger/merkle-proof.ts';
import { dayCloseKey, ledgerCloseKey } from '../../domain/audit-ledger/own-events.ts';
import { ledgerCloseSchema } from '../../domain/audit-ledger/schema.ts';
import { type KnownHash, verifyChain } from '../../domain/audit-ledger/verify-chain.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { AnchoringDeps } from './anchoring-deps.ts';
import { findClose, readDayClose } from './find-close.ts';

type Deps = Pick<AnchoringDeps, 'events' | 'batches' | 'checkpoints' | 'ledgerName' | 'keys'>;

export interface DayCheck {
  readonly day: Day;
  /** The ledger's close of the day. */
  readonly ledgerClose: LedgerEvent;
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

interface ProvenCloses {
  /** By namespace. */
  readonly hashes: ReadonlyMap<string, Hash>;
  readonly ledgerClose: LedgerEvent;
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
  const ground = await groundOf(deps, day);
  for (const listing of namespaces) await checkNamespace(deps, check, ground, listing);
  // Its chain begins with the first night: it has no close of days before, and one of the ledger all the same.
  if (!listed.has(LEDGER_NAMESPACE)) {
    await checkChain(deps, check, ground, { namespace: LEDGER_NAMESPACE, last: ledgerClose, required: [] });
  }
}

function readLedgerClose(event: LedgerEvent): LedgerClose {
  return ledgerCloseSchema.parse(readPayload(event.payload).data);
}

async function assertWithoutEvents({ events }: Deps, namespace: string, day: Day): Promise<void> {
  for await (const { eventType, chainIndex } of events.streamBetween(namespace, startOfDay(day), endOfDay(day))) {
    if (!isClose(eventType)) throw broken(day, namespace, `the close of the ledger leaves out event ${chainIndex}`);
  }
}

async function groundOf(deps: Deps, day: Day): Promise<Ground> {
  const before = addDays(day, -1);
  const batch = await deps.batches.find(before);
  if (batch === null) return (await deps.batches.latestBefore(day)) === null ? 'chains' : 'day';
  if (batch.leafCount === 0) return 'chains';
  const ledgerClose = await findClose(deps, LEDGER_NAMESPACE, ledgerCloseKey(before));
  const place = ledgerClose && (await deps.batches.locate(before, LEDGER_NAMESPACE, ledgerClose.chainIndex));
  const proof = place && (await deps.batches.proof(before, place.leafIndex));
  if (!proof || rootOfProof(hashOfEvent(ledgerClose), proof) !== batch.root) {
    throw broken(day, LEDGER_NAMESPACE, `its close of ${before} is not the one that was batched`);
  }
  const hashes = readLedgerClose(ledgerClose).namespaces.map(
    ({ namespace, closeHash }) => [namespace, closeHash] as const,
  );
  return { hashes: new Map(hashes), ledgerClose };
}

async function checkNamespace(
  deps: Deps,
  check: DayCheck,
  ground: Ground,
  { namespace, closeHash, count }: LedgerClose['namespaces'][number],
): Promise<void> {
  const { day, ledgerClose, add } = check;
  const close = await findClose(deps, namespace, dayCloseKey(day));
  if (close === null) throw broken(day, namespace, 'its close is missing');
  if (close.eventHash !== closeHash || readDayClose(close).count !== count) {
    throw broken(day, namespace, 'its close is not the one that the close of the ledger names');
  }
  const last = namespace === LEDGER_NAMESPACE ? ledgerClose : close;
  await checkChain(deps, check, ground, { namespace, last, required: [closeHash] });
  add(close);
}

/** Checks a chain up to an event of the night, and beyond it where a checkpoint says that it went on. */
async function checkChain(
  deps: Deps,
  { day, add, signal }: DayCheck,
  ground: Ground,
  { namespace, last, required }: { namespace: string; last: LedgerEvent; required: readonly Hash[] },
): Promise<void> {
  const closes = ground === 'chains' || ground === 'day' ? [] : await closesBefore(deps, ground, namespace, day);
  const signed = await checkpointsOf(deps, namespace, day);
  const known = [...closes, { chainIndex: last.chainIndex, eventHash: last.eventHash }, ...signed];
  const from = await startOf(deps, ground, namespace, day, last);
  const end = Math.max(...known.map(({ chainIndex }) => chainIndex));
  const [start, after] = [startOfDay(day), endOfDay(day)];
  const verdict = await verifyChain(deps.events.stream(namespace, from, end), {
    known: known.toSorted((left, right) => left.chainIndex - right.chainIndex),
    required,
    part: { from, day: dayNumber(day) },
    look(event) {
      signal.throwIfAborted();
      if (event.createdAt >= start && event.createdAt < after && !isClose(event.eventType)) add(event);
    },
  });
  if (!verdict.valid) throw broken(day, namespace, `the chain is broken at ${verdict.brokenAt} (${verdict.reason})`);
}

/** The closes of the day before that must stand in the chain. */
async function closesBefore(
  deps: Deps,
  ground: ProvenCloses,
  namespace: string,
  day: Day,
): Promise<readonly KnownHash[]> {
  const whole = namespace === LEDGER_NAMESPACE ? [ground.ledgerClose] : [];
  const eventHash = ground.hashes.get(namespace);
  if (eventHash === undefined) return whole;
  const before = addDays(day, -1);
  const close = await findClose(deps, namespace, dayCloseKey(before));
  if (close === null) throw broken(day, namespace, `its close of ${before} is missing`);
  return [{ chainIndex: close.chainIndex, eventHash }, ...whole];
}

/** Chain index that the check of a namespace begins at. */
async function startOf(deps: Deps, ground: Ground, namespace: string, day: Day, last: LedgerEvent): Promise<number> {
  if (ground === 'chains') return 0;
  // A namespace without a close has begun since.
  if (ground !== 'day' && !ground.hashes.has(namespace)) return 0;
  const close = await findClose(deps, namespace, dayCloseKey(addDays(day, -1)));
  const first = await firstEventOf(deps, namespace, day);
  const index = Math.min(first ?? last.chainIndex, close?.chainIndex ?? last.chainIndex);
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
    const forged = !isCheckpointSigned(checkpoint, deps.ledgerName, deps.keys);
    known.push({ chainIndex: checkpoint.size - 1, eventHash: checkpoint.head, forged });
  }
  return known;
}

function broken(day: Day, namespace: string, reason: string): FairleadError {
  return new FairleadError('ANCHOR_REFUSED', `${day} of ${namespace}: ${reason}. Verify the chain.`, {
    details: { day, namespace, reason },
  });
}
