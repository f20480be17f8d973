import {
  ApplicationFailure,
  isCancellation,
  rootCause,
  setCurrentDetails,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { nextAttempt } from '../../domain/audit-ledger/anchor-policy.ts';
import type { BatchSummary, ChainOutcome, DayOutcome } from '../../domain/audit-ledger/anchoring-messages.ts';
import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { SERVICE, STAGE } from '../search-attributes.ts';
import { anchorAttempt, batchDay } from './anchoring-proxies.ts';

/**
 * Anchors one day; id `anchor/<day>`, started each night by `anchorNight` or by hand. Closes the day, builds its tree and
 * brings the root onto every chain. A chain that is not reached is tried again hourly (`anchor-policy.ts`), whatever the
 * others do; one that refuses the root is not. What was reached is recorded by the activities.
 */
export async function anchorDay(day: Day): Promise<DayOutcome> {
  upsertSearchAttributes([
    { key: SERVICE, value: 'audit-ledger' },
    { key: STAGE, value: 'batching' },
  ]);
  setCurrentDetails(`**${day}** · closing the day`);
  const batch = await batchDay(day);
  upsertSearchAttributes([{ key: STAGE, value: 'anchoring' }]);
  const progress = new Map<number, string>(batch.chainIds.map((chainId) => [chainId, 'waiting']));
  const chains = await Promise.all(batch.chainIds.map((chainId) => anchorOnChain(batch, chainId, progress)));
  const done = chains.every(({ outcome }) => outcome === 'anchored');
  upsertSearchAttributes([{ key: STAGE, value: done ? 'completed' : 'failed' }]);
  return { day, root: batch.root, chains };
}

async function anchorOnChain(
  batch: BatchSummary,
  chainId: number,
  progress: Map<number, string>,
): Promise<DayOutcome['chains'][number]> {
  const startedAt = workflowInfo().startTime.getTime();
  const show = (text: string): void => {
    progress.set(chainId, text);
    const lines = [...progress].map(([id, state]) => `- chain ${id}: ${state}`);
    setCurrentDetails(`**${batch.day}** · ${batch.leafCount} events · ${batch.root}\n\n${lines.join('\n')}`);
  };
  for (let attempts = 1; ; attempts += 1) {
    show(`attempt ${attempts}`);
    const failure = await attempt(batch.day, chainId);
    if (failure === null) {
      show('anchored');
      return { chainId, outcome: 'anchored', attempts };
    }
    const next = failure.final ? null : nextAttempt(startedAt, Date.now());
    if (next === null) {
      const outcome: ChainOutcome = failure.final ? 'refused' : 'missed';
      show(`${outcome}: ${failure.reason}`);
      return { chainId, outcome, attempts };
    }
    show(`next attempt at ${new Date(next).toISOString()}: ${failure.reason}`);
    await sleep(next - Date.now());
  }
}

async function attempt(day: Day, chainId: number): Promise<{ reason: string; final: boolean } | null> {
  try {
    await anchorAttempt(chainId)({ day, chainId });
    return null;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { reason: rootCause(error) ?? 'no reason', final: isRefusal(error) };
  }
}

function isRefusal(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure && cause.type === 'ANCHOR_REFUSED') return true;
  }
  return false;
}
