import type Docker from 'dockerode';
import { findEnginePrograms } from '../adapters/docker/build-engine/engine-programs.ts';
import { containerShell, rootShell } from '../adapters/docker/machine-shell.ts';
import type { PlatformAccess } from '../adapters/docker/relay/platform-access.ts';
import { volatileFolder } from '../adapters/docker/volatile-folder.ts';
import { createWorkloadFirewall, gateFolder, type WorkloadFirewall } from '../adapters/docker/workload-firewall.ts';
import type { alarmsSection } from '../adapters/env/alarms.ts';
import type { deploysWorkerSection } from '../adapters/env/deploys.ts';
import type { ReadSection } from '../adapters/env.ts';
import type { WorkloadRuntime } from '../domain/deploys/workload-runtime.ts';
import { isLoopbackHost } from '../domain/oauth-clients/redirect-uri.ts';
import { composeAlarms } from './alarms.ts';
import { withAlarm } from './firewall-alarm.ts';
import type { WorkerParts } from './module.ts';

type Parts = WorkerParts<ReadSection<typeof deploysWorkerSection> & ReadSection<typeof alarmsSection>>;

const now = () => new Date();

/** Null where the machine of the engine is not this one, or has no iptables. */
export async function composeFirewall(
  parts: Parts,
  docker: Docker,
  image: PlatformAccess['image'],
): Promise<WorkloadFirewall | null> {
  const { env, logger, subprocessEnv } = parts;
  const { folders, missing } = await findEnginePrograms();
  if (!isLocalEngine(env.DOCKER_HOST) || missing.includes('iptables')) {
    logger.warn("Workloads reach what this machine reaches: it is not the engine's, or it has no iptables");
    return null;
  }
  const { STACK_ID: stackId, WORKLOAD_NETWORKS: open } = env;
  const volatile = await volatileFolder();
  if (volatile === null) logger.warn('After a restart of the machine, workloads run before the firewall is set');
  const writable = volatile === null ? null : gateFolder(stackId, volatile);
  const shell =
    process.getuid?.() === 0 ? rootShell(subprocessEnv) : containerShell({ docker, stackId, image, folders, writable });
  const routerPort = isLoopbackHost(env.HOST) ? null : env.EDGE_PORT;
  const firewall = createWorkloadFirewall({ docker, stackId, shell, open, routerPort, volatileFolder: volatile });
  return withAlarm(firewall, { raiseAlarm: await composeAlarms(parts), logger, now });
}

/**
 * Sets the rules for workloads that are there already, whether they run or wait for them. Where that fails it has been told; it is
 * tried again by the schedule, and with whatever starts.
 */
export async function protectAtStart({
  listAll,
  protect,
}: Pick<WorkloadRuntime, 'listAll' | 'protect'>): Promise<void> {
  try {
    if ((await listAll()).length > 0) await protect();
  } catch {
    // The worker has more to do.
  }
}

export function isLocalEngine(dockerHost = ''): boolean {
  return dockerHost === '' || dockerHost.startsWith('unix://');
}
