import type Docker from 'dockerode';

const GRACE_SECONDS = 5;

/**
 * Stops every running container of a stack, so that nothing it started goes on without it. They are kept for the next
 * start, unless `remove` says that there is none.
 */
export async function endContainers(docker: Docker, stackId: string, remove: boolean): Promise<void> {
  const found = await docker.listContainers({ all: remove, filters: { label: [`fairlead.stack=${stackId}`] } });
  const outcomes = await Promise.allSettled(
    found.map(({ Id }) => {
      const container = docker.getContainer(Id);
      return remove ? container.remove({ force: true, v: true }) : container.stop({ t: GRACE_SECONDS });
    }),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected' && !isGone(outcome.reason)) throw outcome.reason;
  }
}

/** Stopped already, or removed. */
function isGone(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && (error.statusCode === 304 || error.statusCode === 404);
}
