import type { PlatformDns } from '../../../domain/deploys/dns-records.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { isLoopbackHost } from '../../../domain/oauth-clients/redirect-uri.ts';
import type { DeploysDeps } from '../deps.ts';
import type { StepContext } from '../step.ts';

type Deps = Pick<DeploysDeps, 'dns' | 'edge'>;

/**
 * Makes the platform's hosts of the service lead to the platform (spec 2, "Pipeline order"). A host that is somebody else's is
 * a warning, and the others go on. Idempotent: what leads there is kept.
 * @throws UNAVAILABLE of the system `dns`, and what the provider refuses
 */
export async function configureDns(deps: Deps, { build, signal, onLine, warn }: StepContext): Promise<BuildFacts> {
  const { records, target } = requireDns(deps);
  const urls = deps.edge.urls(build.service, build.environment);
  const hosts = new Set(urls.map((url) => new URL(url).hostname).filter((host) => !isLoopbackHost(host)));
  if (hosts.size === 0) onLine('The address leads to this machine: it needs no record');
  for (const host of hosts) {
    try {
      const { record, outcome } = await records.ensure(host, target, signal);
      onLine(`${host} is ${record.type} ${record.content} (${outcome})`);
    } catch (error) {
      if (!(error instanceof FairleadError) || error.code !== 'DNS_RECORD_EXISTS') throw error;
      warn(error.message);
    }
  }
  return {};
}

/** @throws UNAVAILABLE on a worker without a provider, where another worker planned the build */
function requireDns({ dns }: Pick<Deps, 'dns'>): PlatformDns {
  if (dns !== null) return dns;
  throw new FairleadError('UNAVAILABLE', 'No DNS provider is configured on the worker.', { system: 'dns' });
}
