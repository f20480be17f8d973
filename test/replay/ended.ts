import type { createTemporal } from '../workflows/deploys/harness.ts';

/** Waits for a workflow's result. */
export async function ended(
  { client }: Pick<Awaited<ReturnType<typeof createTemporal>>, 'client'>,
  workflowId: string,
): Promise<void> {
  await client.workflow.getHandle(workflowId).result();
}
