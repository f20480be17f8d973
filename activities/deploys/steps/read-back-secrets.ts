import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DeploysDeps } from '../deps.ts';
import { requireRelease } from '../registered-service.ts';
import { type WorkloadDeps, workloadOf } from '../release-of-build.ts';
import { requireFacts, type StepContext } from '../step.ts';

type Deps = WorkloadDeps & Pick<DeploysDeps, 'releases' | 'runtime'>;

/** Names in one message; a service has some hundred variables at most. */
const MOST_NAMES = 20;

/**
 * Compares the secrets that the workload was started with to those that are stored: those of its release, and the client
 * secret of the service now. An attempt of the install adopts the workload of the one before, whose client secret may
 * have been replaced meanwhile. A workload with another value is never made the serving one: the install is undone, and a
 * retry installs anew. Names are told, values never. Idempotent: it only reads.
 *
 * @throws INSTALL_FAILED naming the secrets
 */
export async function readBackSecrets(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build, facts, onLine } = context;
  const { workloadId } = requireFacts(facts, ['workloadId']);
  const release = await requireRelease(deps, context);
  const workloads = await deps.runtime.list(build.service, build.environment);
  const workload = workloads.find(({ id }) => id === workloadId);
  const given = workload === undefined ? null : await deps.runtime.variables(workload);
  if (given === null) throw new FairleadError('INSTALL_FAILED', `The workload of ${build.service} is gone.`);
  const { env } = await workloadOf(deps, release, build.buildId);
  const names = [...Object.keys(release.secrets), 'IDP_CLIENT_SECRET']
    .filter((name) => Object.hasOwn(env, name))
    .sort();
  const differing = names.filter((name) => given[name] !== env[name]);
  if (differing.length > 0) throw anotherValue(build.service, differing);
  onLine(names.length === 0 ? 'There are no secrets to read back' : `As stored: ${listed(names)}`);
  return {};
}

function anotherValue(service: string, names: readonly string[]): FairleadError {
  const message = `The workload of ${service} does not run with the stored value of ${listed(names)}. It may have been changed while the service was deployed: deploy again.`;
  return new FairleadError('INSTALL_FAILED', message, { details: { names: names.slice(0, MOST_NAMES) } });
}

function listed(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
