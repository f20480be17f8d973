import { LRUCache } from 'lru-cache';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import { createRedactor } from '../../domain/logs/redact.ts';
import { isSensitiveName } from '../../domain/logs/sensitive-names.ts';
import { credentialVariables } from './client-credentials.ts';
import type { DeploysDeps } from './deps.ts';
import { openSecrets } from './service-config.ts';

type Deps = Pick<DeploysDeps, 'services' | 'cipher'> & {
  readonly settings: Pick<DeploysDeps['settings'], 'platformSecrets'>;
};

/** A redactor that knows every secret of the service and of the platform, for whatever a build writes to its log. */
export async function buildRedactor(deps: Deps, serviceId: string): Promise<(line: string) => string> {
  const service = await deps.services.find(serviceId);
  const secrets = [...deps.settings.platformSecrets, ...(service ? secretValues(deps, service) : [])];
  const key = JSON.stringify(secrets);
  const made = recent.get(key) ?? createRedactor({ secrets });
  recent.set(key, made);
  return made;
}

/** The steps of a build ask one after another for the same redactor, and one for many long secrets takes its time. */
const recent = new LRUCache<string, (line: string) => string>({ max: 10 });

function secretValues(deps: Deps, service: ServiceRecord): string[] {
  const sensitive = Object.entries(service.config).filter(([key]) => isSensitiveName(key));
  const clientSecrets = ENVIRONMENTS.map((environment) => credentialVariables(deps, service, environment));
  return [
    ...sensitive.map(([, value]) => value),
    ...Object.values(openSecrets(deps, { service: service.name }, service.secrets)),
    ...clientSecrets.flatMap(({ IDP_CLIENT_SECRET: secret }) => secret ?? []),
  ];
}

/**
 * The same error with nothing secret in its message or details: a failed command's last output travels in them, through
 * Temporal's history into the build record.
 */
export function redactError(error: unknown, redact: (line: string) => string): unknown {
  if (!(error instanceof FairleadError)) return error;
  const { code, message, details, retryable, system } = error;
  const origin = system === undefined ? {} : { system };
  return new FairleadError(code, redactLines(message, redact), {
    details: redactDeep(details, redact),
    retryable,
    ...origin,
  });
}

/**
 * Does work for a build beside its steps, whose errors come into the record as well.
 * @throws what the work throws, as {@link redactError} leaves it
 */
export async function withRedactedErrors<T>(deps: Deps, serviceId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    throw redactError(error, await buildRedactor(deps, serviceId));
  }
}

/** As a whole, and line by line: each of its lines may have been cut. */
function redactLines(text: string, redact: (line: string) => string): string {
  return redact(text).split('\n').map(redact).join('\n');
}

function redactDeep(value: unknown, redact: (line: string) => string): unknown {
  if (typeof value === 'string') return redactLines(value, redact);
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactDeep(item, redact)]));
}
