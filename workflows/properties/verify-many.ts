import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  continueAsNew,
  executeChild,
  isCancellation,
  log,
  ParentClosePolicy,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import { type VerifyManyRequest, type VerifyResult, verifyWorkflowId } from '../../domain/properties/messages.ts';
import { recordOutcome } from './activity-proxies.ts';
import { verifyProperty } from './verify-property.ts';

/** Domains at a time (spec 3, "Limits"). */
const PARALLELISM = 4;

/** Verifies many domains, four at a time. What becomes of one stops no other; each has its outcome in the job. */
export async function verifyMany({ jobId, domains }: VerifyManyRequest): Promise<void> {
  const waiting = [...domains];
  const runOne = async (): Promise<void> => {
    for (let domain = waiting.shift(); domain !== undefined; domain = waiting.shift()) {
      setCurrentDetails(`${waiting.length} of ${domains.length} domains wait`);
      await verifyOne(domain, jobId);
      if (workflowInfo().continueAsNewSuggested) return;
    }
  };
  await Promise.all(Array.from({ length: PARALLELISM }, runOne));
  if (waiting.length > 0) await continueAsNew<typeof verifyMany>({ jobId, domains: waiting });
}

async function verifyOne(domain: string, jobId: string): Promise<void> {
  const request = { domain, jobId };
  try {
    await executeChild(verifyProperty, {
      workflowId: verifyWorkflowId(domain),
      args: [request],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `verification of ${domain}`,
    });
  } catch (error) {
    if (isCancellation(error)) throw error;
    await recordOutcome(request, outcomeOfFailure(domain, error));
  }
}

/** A run records its own outcome, unless it was not begun, or was broken off. */
function outcomeOfFailure(domain: string, error: unknown): VerifyResult {
  if (error instanceof WorkflowExecutionAlreadyStartedError) {
    return { outcome: 'skipped', message: 'Another run verifies it' };
  }
  log.warn(`The verification of ${domain} ended without an outcome`);
  return { outcome: 'error', message: 'The run was broken off; verify again' };
}
