/*
 * The audit ledger's background work: days are closed, batched and anchored; chains get checkpoints and are verified.
 *
 * Keying: the workflow `anchor/<day>` anchors a day, one run at a time. The day's closes and `anchor.missed` are events
 * under idempotency keys; its batch has the day as id; an anchor and its transactions are kept per day and chain, a
 * checkpoint per namespace and time. A verification, `verification/<org>/<place>`, only reads.
 * Retries: work on the ledger's own database, from 2 s to 1 min apart, for up to a day; a checkpoint until the next hour;
 * a verification for 12 hours. A chain gets 3 tries within 45 min, and again at ten past each hour of the night
 * (domain/audit-ledger/anchor-policy.ts). ANCHOR_REFUSED ends it: trying again is of no use.
 * Compensation: none. Events and anchors are never taken back; a chain that was not reached gets `anchor.missed`,
 * and one that holds a root which no batch has `anchor.unmatched`.
 */
import type { BatchSummary, MissedAnchor } from '../../domain/audit-ledger/anchoring-messages.ts';
import { type Anchor, type Batch, chainsOfBatch } from '../../domain/audit-ledger/batch.ts';
import { signAnchor } from '../../domain/audit-ledger/batch-signature.ts';
import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { addDays, daysBetween } from '../../domain/audit-ledger/days.ts';
import type { Hash } from '../../domain/audit-ledger/event.ts';
import { anchorMissedDraft } from '../../domain/audit-ledger/own-events.ts';
import { type ErrorCode, FairleadError } from '../../domain/errors.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';
import type { AnchoringDeps } from './anchoring-deps.ts';
import { buildBatch } from './build-batch.ts';
import { closeDay } from './close-day.ts';
import { CHECKED_AGAIN_DAYS, firstToldSince, openDays, recentDays } from './open-days.ts';
import { isOwnAnchor, isSameContract, ownBatch } from './own-batches.ts';
import { standingRoot } from './standing-roots.ts';

/** Days that the check looks back: an outage of it is made up for. */
const CHECKED_DAYS = 31;

/** The activities of the anchoring workflows. Each may run any number of times. */
export function createAnchoringActivities(deps: AnchoringDeps) {
  return {
    /** Days to be anchored tonight, and those of the last week to be checked again, oldest first. */
    listDaysToAnchor: (yesterday: Day) => whileHeartbeating(() => listDaysToAnchor(deps, yesterday)),
    /** Closes a day and builds its batch, after those of every day before it that is still open. @throws ANCHOR_REFUSED */
    batchDay: (day: Day) => whileHeartbeating((signal) => batchDay(deps, day, signal)),
    anchorBatch: (input: { day: Day; chainId: number }) =>
      whileHeartbeating((signal) => anchorBatch(deps, input, signal)),
    /** Emits, once each, `anchor.missed` for a chain and day that was not reached, `anchor.unmatched` where another root stands. */
    reportMissedAnchors: (yesterday: Day) => whileHeartbeating(() => reportMissedAnchors(deps, yesterday)),
  };
}

export type AnchoringActivities = ReturnType<typeof createAnchoringActivities>;

async function listDaysToAnchor(deps: AnchoringDeps, yesterday: Day): Promise<readonly Day[]> {
  const days = new Set([...(await recentDays(deps, yesterday)), ...(await openDays(deps, yesterday)), yesterday]);
  return [...days].toSorted();
}

async function batchDay(deps: AnchoringDeps, day: Day, signal: AbortSignal): Promise<BatchSummary> {
  const existing = await ownBatch(deps, day);
  if (existing !== null) return summaryOf(deps, existing);
  for (const earlier of await openDays(deps, addDays(day, -1))) {
    // One that was tampered with, or that waits for a chain to say what it has of it, holds no other up: its own workflow says
    // why it has no batch, and it is reported missed.
    await batchOf(deps, earlier, signal).catch((error: unknown) => {
      if (!hasCode(error, 'ANCHOR_REFUSED') && !hasCode(error, 'CHAIN_UNREACHABLE')) throw error;
    });
  }
  return summaryOf(deps, await batchOf(deps, day, signal));
}

async function batchOf(deps: AnchoringDeps, day: Day, signal: AbortSignal): Promise<Batch> {
  await closeDay(deps, day);
  return await buildBatch(deps, day, signal);
}

function summaryOf(deps: AnchoringDeps, batch: Batch): BatchSummary {
  const { id, root, leafCount } = batch;
  return { day: id, root, leafCount, chainIds: chainsOfBatch(batch, configuredChains(deps)) };
}

const configuredChains = ({ chains }: AnchoringDeps): readonly number[] => chains.map(({ chainId }) => chainId);

/**
 * What is recorded is looked at again, as a chain may have gone back further than anybody waits; it then comes anew. So does
 * what the ledger did not record itself, and a batch that was changed or lost since it was checked is checked and built anew.
 */
async function anchorBatch(
  deps: AnchoringDeps,
  { day, chainId }: { day: Day; chainId: number },
  signal: AbortSignal,
): Promise<Pick<Anchor, 'txHash' | 'blockNumber'>> {
  const batch = (await ownBatch(deps, day)) ?? (await batchOf(deps, day, signal));
  const recorded = await recordedAnchor(deps, batch, chainId);
  const chain = deps.chains.find((candidate) => candidate.chainId === chainId);
  if (chain === undefined) {
    if (recorded !== undefined) return recorded;
    throw new FairleadError('CHAIN_UNREACHABLE', `Chain ${chainId}: it is no longer in AUDIT_CHAINS`);
  }
  // It stands in a contract that another has taken the place of since: in the new one it would be late.
  if (recorded !== undefined && !isSameContract(recorded, chain)) return recorded;
  const anchor = await chain.anchor(batch, signal).catch(async (error: unknown) => {
    if (recorded === undefined || !hasCode(error, 'CHAIN_UNREACHABLE')) throw error;
    // A chain that is away takes nothing back; one that was seen without the root, at the anchor's block or later, does.
    if (!wasSeenWithout(recorded, error)) return recorded;
    await deps.batches.dropAnchor(day, chainId);
    throw error;
  });
  if (recorded?.signature === undefined || anchor.blockHash !== recorded.blockHash) {
    await deps.batches.putAnchor(day, await signAnchor(anchor, batch, deps.ledgerName, deps.signer));
  }
  return { txHash: anchor.txHash, blockNumber: anchor.blockNumber };
}

async function recordedAnchor(deps: AnchoringDeps, batch: Batch, chainId: number): Promise<Anchor | undefined> {
  const recorded = batch.anchors.find((anchor) => anchor.chainId === chainId);
  return recorded !== undefined && (await isOwnAnchor(deps, batch, recorded)) ? recorded : undefined;
}

function hasCode(error: unknown, code: ErrorCode): error is FairleadError {
  return error instanceof FairleadError && error.code === code;
}

function wasSeenWithout({ blockNumber }: Anchor, { details }: FairleadError): boolean {
  if (typeof details !== 'object' || details === null || !('absent' in details) || !('block' in details)) return false;
  return details.absent === true && Number(details.block) >= blockNumber;
}

/** A chain that is configured later gets the days that nights still look at, and no older ones. */
function chainsToReport(deps: AnchoringDeps, batch: Batch | undefined, isOld: boolean): readonly number[] {
  if (batch === undefined) return configuredChains(deps);
  return chainsOfBatch(batch, isOld ? [] : configuredChains(deps));
}

async function reportMissedAnchors(deps: AnchoringDeps, yesterday: Day): Promise<readonly MissedAnchor[]> {
  const from = addDays(yesterday, 1 - CHECKED_DAYS);
  const { items } = await deps.batches.list(from, yesterday, { cursor: null, limit: 200 });
  const batches = new Map(items.map((batch) => [batch.id, batch]));
  const week = addDays(yesterday, -CHECKED_AGAIN_DAYS);
  const missed: MissedAnchor[] = [];
  for (const day of daysBetween(await firstToldSince(deps, from), yesterday)) {
    const batch = batches.get(day);
    for (const chainId of chainsToReport(deps, batch, day < week)) {
      if (batch !== undefined && (await recordedAnchor(deps, batch, chainId)) !== undefined) continue;
      const standing = await otherRootOn(deps, chainId, day, batch);
      const found: MissedAnchor = { day, chainId, ...(standing === null ? {} : { standing }) };
      await deps.writer.emit(anchorMissedDraft(found, batch?.root ?? null, deps.platformOrg));
      missed.push(found);
    }
  }
  return missed;
}

/** The root that a chain holds for a day in the place of that of its batch; null without one, and while nobody can tell. */
async function otherRootOn(deps: AnchoringDeps, chainId: number, day: Day, batch?: Batch): Promise<Hash | null> {
  const chain = deps.chains.find((candidate) => candidate.chainId === chainId);
  const standing = chain === undefined ? null : ((await standingRoot(chain, day)) ?? null);
  return standing === batch?.root ? null : standing;
}
