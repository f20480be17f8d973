import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { createRedactor, isSensitiveName } from '../../domain/logs/redact.ts';
import type { DeploysDeps } from './deps.ts';
import { openSecrets } from './service-config.ts';

/** A redactor that knows every secret of the service and of the platform, for whatever a build writes to its log. */
export async function buildRedactor(deps: DeploysDeps, serviceId: string): Promise<(line: string) => string> {
  const service = await deps.services.find(serviceId);
  return createRedactor({
    secrets: [...deps.settings.platformSecrets, ...(service ? secretValues(deps, service) : [])],
  });
}

function secretValues(deps: DeploysDeps, service: ServiceRecord): string[] {
  const sensitive = Object.entries(service.config).filter(([key]) => isSensitiveName(key));
  return [...sensitive.map(([, value]) => value), ...Object.values(openSecrets(deps, service.name, service.secrets))];
}
