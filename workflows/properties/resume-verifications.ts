import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, startChild } from '@temporalio/workflow';
import { verifyWorkflowId } from '../../domain/properties/messages.ts';
import { closeBrokenJobs, listStranded } from './activity-proxies.ts';
import { verifyProperty } from './verify-property.ts';

/**
 * Takes up runs that were left alone for longer than the budget, as after their workflows were terminated; schedule
 * `verify-resume`. Who waits for a person is not resumed. A restart of workers strands none: Temporal goes on with them.
 */
export async function resumeVerifications(): Promise<{ readonly resumed: number }> {
  let resumed = 0;
  for (const request of await listStranded()) {
    try {
      await startChild(verifyProperty, {
        workflowId: verifyWorkflowId(request.domain),
        args: [request],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: `resumed verification of ${request.domain}`,
      });
      resumed += 1;
    } catch (error) {
      // It runs, and waits for something that takes long.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }
  await closeBrokenJobs();
  return { resumed };
}
