import { setCurrentDetails } from '@temporalio/workflow';
import type { MissedAnchor } from '../../domain/audit-ledger/anchoring-messages.ts';
import { addDays, dayOf } from '../../domain/audit-ledger/days.ts';
import { reportMissedAnchors } from './anchoring-proxies.ts';

/** Says once of each chain and day that was missed, or that has a root of no batch; every night at 04:05 UTC (`schedules.ts`). */
export async function checkAnchors(): Promise<{ missed: readonly MissedAnchor[] }> {
  const missed = await reportMissedAnchors(addDays(dayOf(Date.now()), -1));
  setCurrentDetails(missed.map(lineOf).join('\n') || 'nothing is missing');
  return { missed };
}

function lineOf({ day, chainId, standing }: MissedAnchor): string {
  const what = standing === undefined ? '' : `: ${standing} stands there, and no batch of the day has it`;
  return `- ${day} on chain ${chainId}${what}`;
}
