import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';

const ATTEMPTS = 4;

/** Of many that start one workflow at once, a server may refuse some: by then it runs, and can be told. */
export async function startedOnceMore(call: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await call();
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }
}
