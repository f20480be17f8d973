import { bringDown } from './cluster/bring-down.ts';
import { bringUp, clusterTools } from './cluster/bring-up.ts';
import { clusterFolder, clusterPaths } from './cluster/cluster-folder.ts';
import { clusterStatus } from './cluster/cluster-status.ts';
import { createReporter, errorLine, silentReporter } from './terminal.ts';

/** `npm run cluster -- up|down|status`: a real Kubernetes cluster of one node on this machine, for tests and for trying. */

const USAGE = `Usage: npm run cluster -- up|down|status

  up      brings up a cluster of one node and prints the path of its kubeconfig; the first time, its programs are fetched
  down    ends it and removes what it had; programs stay in the cache
  status  tells which of its programs run, and whether it takes pods
`;

const { env } = process;

const COMMANDS: Readonly<Record<string, () => Promise<number>>> = {
  up: async () => {
    const kubeconfig = await bringUp({ env, report: createReporter(process.stderr) });
    process.stdout.write(`${kubeconfig}\n`);
    return 0;
  },
  down: async () => {
    const tools = await clusterTools({ env, report: silentReporter, obtain: false }).catch(() => null);
    await bringDown(clusterPaths(clusterFolder(env)), tools, createReporter(process.stderr));
    process.stderr.write('No cluster is up.\n');
    return 0;
  },
  status: async () => {
    const { isUp, lines } = await clusterStatus(clusterPaths(clusterFolder(env)));
    process.stdout.write(`${lines.join('\n')}\n`);
    return isUp ? 0 : 1;
  },
};

const run = COMMANDS[process.argv[2] ?? ''];
if (run === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}
try {
  process.exitCode = await run();
} catch (error) {
  process.stderr.write(`fairlead: ${errorLine(error)}\n`);
  process.exitCode = 1;
}
