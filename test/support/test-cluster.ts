import { join } from 'node:path';
import { bringDown } from '../../infra/dev/cluster/bring-down.ts';
import { bringUp, clusterTools } from '../../infra/dev/cluster/bring-up.ts';
import { clusterFolder, clusterPaths } from '../../infra/dev/cluster/cluster-folder.ts';
import { clusterStatus } from '../../infra/dev/cluster/cluster-status.ts';
import { cacheFolder } from '../../infra/dev/project.ts';
import { errorLine, silentReporter } from '../../infra/dev/terminal.ts';
import { TEST_SAMPLE, TEST_SMOKE } from '../../infra/dev/test-variables.ts';
import { waitForLock } from '../../infra/dev/tools/folder-lock.ts';

/** A real cluster for a file of tests. */
export interface TestCluster {
  /** Path of the file of its administrator. */
  readonly kubeconfig: string;
  /** Ends it, if it was brought up for this file. */
  end(): Promise<void>;
}

const options = { env: process.env, report: silentReporter, obtain: false };

/**
 * Why there is none for tests; false where there is. Its programs are not fetched here: that takes many minutes. Nor is it brought
 * up in a run of everything, whose tests of it take ten.
 */
export async function clusterMissing(): Promise<string | false> {
  if (process.env.FAIRLEAD_TEST_KUBECONFIG) return false;
  if (process.env[TEST_SAMPLE] || process.env[TEST_SMOKE]) {
    return '"npm test -- kubernetes" plays them, as --every does; FAIRLEAD_TEST_KUBECONFIG of a cluster plays them always';
  }
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a node needs root on Linux';
  return await clusterTools(options).then(
    () => false,
    (error: unknown) => `"npm run cluster -- up" fetches what is missing: ${errorLine(error).split('\n')[0]}`,
  );
}

/**
 * The cluster that FAIRLEAD_TEST_KUBECONFIG names, else the one of this machine, which one file at a time has: whoever brought it up takes
 * it down.
 */
export async function useCluster(): Promise<TestCluster> {
  const given = process.env.FAIRLEAD_TEST_KUBECONFIG;
  if (given) return { kubeconfig: given, end: async () => undefined };
  const paths = clusterPaths(clusterFolder(process.env));
  const lock = await waitForLock(join(cacheFolder(process.env), 'cluster-of-tests.lock'), () => undefined);
  try {
    const { isUp } = await clusterStatus(paths);
    const kubeconfig = await bringUp(options);
    const takeDown = async () => (isUp ? undefined : bringDown(paths, await clusterTools(options), silentReporter));
    return { kubeconfig, end: () => takeDown().finally(lock.release) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
