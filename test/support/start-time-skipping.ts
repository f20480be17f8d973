import { TestWorkflowEnvironment } from '@temporalio/testing';
import { toolPath } from './tool-path.ts';

const ATTEMPTS = 5;

/**
 * A Temporal server on which a day of a workflow passes in a moment. Each file has its own: a workflow that one file
 * leaves open would keep the time of all others from being skipped.
 */
export async function startTimeSkipping(): Promise<TestWorkflowEnvironment> {
  const path = await toolPath('temporal-test-server');
  const options = { server: { executable: { type: 'existing-path', path } } } as const;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await TestWorkflowEnvironment.createTimeSkipping(options);
    } catch (error) {
      // The SDK waits five seconds and ends the server then; on a busy machine Java takes longer to start.
      if (attempt === ATTEMPTS || !/did not start within/.test(String(error))) throw error;
    }
  }
}
