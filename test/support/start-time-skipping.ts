import { TestWorkflowEnvironment } from '@temporalio/testing';
import { toolPath } from './tool-path.ts';

/**
 * A Temporal server on which a day of a workflow passes in a moment. Each file has its own: a workflow that one file
 * leaves open would keep the time of all others from being skipped.
 */
export async function startTimeSkipping(): Promise<TestWorkflowEnvironment> {
  const path = await toolPath('temporal-test-server');
  return TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: 'existing-path', path } } });
}
