import type { Clock } from '../clock.ts';
import type { WorkloadLogins } from '../databases/ports.ts';
import type { DatabaseRecord } from '../databases/record.ts';
import { eachItem } from '../each-item.ts';
import type { BuildStore, DeployTarget, EpochStore } from './build-store.ts';
import type { Release } from './release.ts';
import type { ReleaseStore } from './release-store.ts';
import type { RestartCommands } from './restart.ts';

export interface WorkloadLoginsDeps {
  readonly releases: Pick<ReleaseStore, 'active'>;
  readonly builds: Pick<BuildStore, 'listOpen' | 'find' | 'stateOf'>;
  readonly epochs: EpochStore;
  readonly commands: RestartCommands;
  readonly now: Clock;
}

/**
 * Who has been given which login, told by epochs: a build takes its epoch before it reads the logins that its workload is
 * given. So what was installed in an epoch after the mark has been given the logins of the mark, or newer ones; a repair
 * of such a release starts it with still newer ones.
 */
export function createWorkloadLogins(deps: WorkloadLoginsDeps): WorkloadLogins {
  const { releases, builds, epochs, commands, now } = deps;
  return {
    mark: (target) => epochs.next(target),
    async mayHaveOlder({ service, environment, engine, consumes = null }, mark) {
      // The builds first: one that ends meanwhile has made its release the active one by then.
      if (await isInstalling(builds, { service, environment })) return true;
      const active = await releases.active(service, environment);
      return (
        active !== null && hasLogin(active, { engine, consumes }) && (active.epoch ?? Number.NEGATIVE_INFINITY) < mark
      );
    },
    async restart({ mark, ...order }) {
      const state = await builds.stateOf(order.buildId);
      if (state === 'open') return 'running';
      // Where people's build has replaced it, that one takes the login of today.
      if (state === 'ended') return (await isDeploying(builds, order)) ? 'busy' : 'ended';
      const outcome = await commands.restart({ ...order, installedBefore: mark, requestedAt: now().toISOString() });
      return outcome === 'started' ? 'running' : outcome;
    },
  };
}

function hasLogin(
  { databases, consumedDatabases }: Release,
  { engine, consumes }: Pick<DatabaseRecord, 'engine' | 'consumes'>,
): boolean {
  if (consumes === null) return databases.includes(engine);
  return consumedDatabases.some(
    (one) => one.engine === engine && one.serviceId === consumes.serviceId && one.access === consumes.access,
  );
}

/** A build that waits for a decision deploys nothing until somebody decides. */
async function isDeploying(
  builds: WorkloadLoginsDeps['builds'],
  { service, environment }: DeployTarget,
): Promise<boolean> {
  for await (const { id } of eachItem((page) => builds.listOpen({ service, environment }, page))) {
    if (((await builds.find(id))?.waiting ?? null) === null) return true;
  }
  return false;
}

/**
 * A build without an epoch has read no login yet, and takes a newer one. Beside one that has, whenever it took it, what it
 * replaces runs until its end, and may be at work.
 */
async function isInstalling(builds: WorkloadLoginsDeps['builds'], target: DeployTarget): Promise<boolean> {
  for await (const { id } of eachItem((page) => builds.listOpen(target, page))) {
    if (((await builds.find(id))?.epoch ?? null) !== null) return true;
  }
  return false;
}
