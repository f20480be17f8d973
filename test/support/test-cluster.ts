import { bringDown } from '../../infra/dev/cluster/bring-down.ts';
import { bringUp, clusterTools } from '../../infra/dev/cluster/bring-up.ts';
import { clusterFolder, clusterPaths } from '../../infra/dev/cluster/cluster-folder.ts';
import { clusterStatus } from '../../infra/dev/cluster/cluster-status.ts';
import { errorLine, silentReporter } from '../../infra/dev/terminal.ts';
import { TEST_SAMPLE, TEST_SMOKE } from '../../infra/dev/test-variables.ts';

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

/** The cluster that FAIRLEAD_TEST_KUBECONFIG names, else the one of this machine. */
export async function useCluster(): Promise<TestCluster> {
  const given = process.env.FAIRLEAD_TEST_KUBECONFIG;
  if (given) return { kubeconfig: given, end: async () => undefined };
  const paths = clusterPaths(clusterFolder(process.env));
  const { isUp } = await clusterStatus(paths);
  const kubeconfig = await bringUp(options);
  return {
    kubeconfig,
    end: async () => (isUp ? undefined : bringDown(paths, await clusterTools(options), silentReporter)),
  };
}
