import { LRUCache } from 'lru-cache';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import {
  openSecrets,
  type SecretsOwner,
  type VariableSet,
  variableSets,
} from '../../domain/config/service-variables.ts';
import type { ServiceDatabases } from '../../domain/databases/service-databases.ts';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import { createRedactor } from '../../domain/logs/redact.ts';
import { isSensitiveName } from '../../domain/logs/sensitive-names.ts';
import { credentialVariables } from './client-credentials.ts';
import type { DeploysDeps } from './deps.ts';
import { releaseIdOf } from './release-id.ts';

type Deps = Pick<DeploysDeps, 'services' | 'cipher'> & {
  readonly databases: Pick<ServiceDatabases, 'passwords'> | null;
  readonly settings: Pick<DeploysDeps['settings'], 'platformSecrets'>;
};

type WorkloadDeps = Deps & Pick<DeploysDeps, 'releases'>;

type Build = Pick<BuildRequest, 'serviceId' | 'buildId' | 'releaseId'>;

/**
 * A redactor for whatever a build writes to its log: it knows every secret of the platform, of the service, and of the
 * release that the build installs, whose workload may print what has been changed since.
 */
export function buildRedactor(deps: WorkloadDeps, build: Build): Promise<(line: string) => string> {
  return workloadRedactor(deps, { serviceId: build.serviceId, releaseId: releaseIdOf(build) });
}

/**
 * A redactor for what a workload prints: it knows also the secrets of the release that it runs, which may have been changed
 * since in the service.
 */
export async function workloadRedactor(
  deps: WorkloadDeps,
  { serviceId, releaseId }: { readonly serviceId: string; readonly releaseId: string },
): Promise<(line: string) => string> {
  const [service, release, passwords] = await Promise.all([
    deps.services.find(serviceId),
    deps.releases.find(releaseId),
    deps.databases?.passwords(serviceId) ?? [],
  ]);
  return redactorOf([
    ...deps.settings.platformSecrets,
    ...passwords,
    ...(service ? secretValues(deps, service) : []),
    ...(release ? secretsIn(deps, release, release) : []),
  ]);
}

function redactorOf(secrets: readonly string[]): (line: string) => string {
  const key = JSON.stringify(secrets);
  const made = recent.get(key) ?? createRedactor({ secrets });
  recent.set(key, made);
  return made;
}

/** The steps of a build ask one after another for the same redactor, and one for many long secrets takes its time. */
const recent = new LRUCache<string, (line: string) => string>({ max: 10 });

function secretValues(deps: Deps, service: ServiceRecord): string[] {
  const variables = variableSets(service).flatMap(({ environment, set }) => {
    return secretsIn(deps, { service: service.name, ...(environment === null ? {} : { environment }) }, set);
  });
  const clientSecrets = ENVIRONMENTS.map((environment) => credentialVariables(deps, service, environment));
  return [...variables, ...clientSecrets.flatMap(({ IDP_CLIENT_SECRET: secret }) => secret ?? [])];
}

/** The secret ones of variables: those that are sealed, and those with the name of a secret. */
function secretsIn(
  { cipher }: Pick<Deps, 'cipher'>,
  { service, environment }: SecretsOwner,
  { config, secrets }: Pick<VariableSet, 'config' | 'secrets'>,
): string[] {
  const owner = environment === undefined ? { service } : { service, environment };
  const sensitive = Object.entries(config).filter(([key]) => isSensitiveName(key));
  return [...sensitive.map(([, value]) => value), ...Object.values(openSecrets(cipher, owner, secrets))];
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
export async function withRedactedErrors<T>(deps: WorkloadDeps, build: Build, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    throw redactError(error, await buildRedactor(deps, build));
  }
}

/** As a whole, and line by line: each of its lines may have been cut. */
export function redactLines(text: string, redact: (line: string) => string): string {
  return redact(text).split('\n').map(redact).join('\n');
}

function redactDeep(value: unknown, redact: (line: string) => string): unknown {
  if (typeof value === 'string') return redactLines(value, redact);
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactDeep(item, redact)]));
}
