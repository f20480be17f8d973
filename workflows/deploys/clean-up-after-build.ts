import { sleep } from '@temporalio/workflow';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import { reliable } from './activity-proxies.ts';

/** How long the replaced workload may finish the requests it has before it is asked to stop. */
const DRAIN_TIME = '5s';

/**
 * What follows a build and must not hold up the next one; id `cleanup/<build>`: stops the workloads that no longer
 * serve, removes the source and old images.
 */
export async function cleanUpAfterBuild(build: BuildRequest): Promise<void> {
  await sleep(DRAIN_TIME);
  await reliable('Stop what no longer serves').cleanUpAfterBuild(build);
}
