import type Docker from 'dockerode';

const GRACE_SECONDS = 5;

/** Stops (and keeps) every running container of a stack, so that nothing it started goes on without it. */
export async function stopContainers(docker: Docker, stackId: string): Promise<void> {
  const running = await docker.listContainers({ filters: { label: [`fairlead.stack=${stackId}`] } });
  const outcomes = await Promise.allSettled(
    running.map(({ Id }) => docker.getContainer(Id).stop({ t: GRACE_SECONDS })),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected' && !isGone(outcome.reason)) throw outcome.reason;
  }
}

/** Stopped already, or removed. */
function isGone(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && (error.statusCode === 304 || error.statusCode === 404);
}
