import { setCurrentDetails } from '@temporalio/workflow';
import type { MissedAnchor } from '../../domain/audit-ledger/anchoring-messages.ts';
import { addDays, dayOf } from '../../domain/audit-ledger/days.ts';
import { reportMissedAnchors } from './anchoring-proxies.ts';

/** Says for each chain and day that was not reached, once, that it was missed; every night at 04:05 UTC (`schedules.ts`). */
export async function checkAnchors(): Promise<{ missed: readonly MissedAnchor[] }> {
  const missed = await reportMissedAnchors(addDays(dayOf(Date.now()), -1));
  setCurrentDetails(
    missed.map(({ day, chainId }) => `- ${day} on chain ${chainId}`).join('\n') || 'nothing is missing',
  );
  return { missed };
}
