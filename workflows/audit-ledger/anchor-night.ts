import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, setCurrentDetails, startChild } from '@temporalio/workflow';
import { anchorWorkflowId } from '../../domain/audit-ledger/anchoring-messages.ts';
import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { addDays, dayOf } from '../../domain/audit-ledger/days.ts';
import { anchorDay } from './anchor-day.ts';
import { listDaysToAnchor } from './anchoring-proxies.ts';

/**
 * Starts the anchoring of the day that has ended, and of earlier ones that an outage left behind; every night at 00:10
 * UTC (`schedules.ts`). The days go on by themselves: this ends at once.
 */
export async function anchorNight(): Promise<{ days: readonly Day[] }> {
  const days = await listDaysToAnchor(addDays(dayOf(Date.now()), -1));
  setCurrentDetails(`starts ${days.map((day) => anchorWorkflowId(day)).join(', ')}`);
  for (const day of days) {
    try {
      await startChild(anchorDay, {
        workflowId: anchorWorkflowId(day),
        args: [day],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: `anchor ${day}`,
      });
    } catch (error) {
      // It is under way already, such as by hand.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }
  return { days };
}
