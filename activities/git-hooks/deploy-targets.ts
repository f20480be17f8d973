import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { Environment } from '../../domain/environment.ts';
import { type GitConnection, isSameRepository } from '../../domain/git-hooks/connection.ts';
import type { LookReason } from '../../domain/git-hooks/delivery.ts';
import { matchesRef, type Ref } from '../../domain/git-hooks/rule.ts';
import type { GitHooksActivityDeps } from './deps.ts';

/** A service and environment that a branch or tag deploys to. */
export interface DeployTarget {
  readonly serviceId: string;
  readonly service: string;
  readonly environment: Environment;
  /** Watched paths of each rule that says so; a rule without paths lets every change through. */
  readonly paths: readonly (readonly string[])[];
}

/** What a branch or tag deploys to by the rules of the connection: each service and environment once. */
export function deployTargets({ services }: Pick<GitConnection, 'services'>, ref: Ref): readonly DeployTarget[] {
  const targets = new Map<string, DeployTarget>();
  for (const { serviceId, service, rules } of services) {
    for (const rule of rules.filter((one) => matchesRef(one, ref))) {
      const key = `${serviceId}/${rule.environment}`;
      const paths = [...(targets.get(key)?.paths ?? []), rule.paths];
      targets.set(key, { serviceId, service, environment: rule.environment, paths });
    }
  }
  return [...targets.values()];
}

/** The service of a target, or why the connection deploys it no more. */
export async function serviceOf(
  { services, platformGitUrl }: Pick<GitHooksActivityDeps, 'services' | 'platformGitUrl'>,
  connection: GitConnection,
  serviceId: string,
): Promise<ServiceRecord | LookReason> {
  const service = await services.find(serviceId);
  if (service === null || service.removingSince !== null) return 'service_removed';
  if (service.org !== connection.org) return 'service_not_owned';
  return isSameRepository(connection, service.gitUrl, platformGitUrl) ? service : 'repository_changed';
}
