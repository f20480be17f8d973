import { hostname } from 'node:os';
import { z } from 'zod';
import { GENERATED_SECRETS, SERVICE_ROWS, type ServiceRow } from '../domain/services.ts';
import { type CliEnv, readCliVariables } from './env/cli.ts';
import { type EdgeEnv, readEdgeVariables } from './env/edge.ts';
import { readServiceSettings, type ServiceSettings } from './env/http-service.ts';
import { type MetricsSettings, metricsSettings, serviceMetricsSection } from './env/metrics.ts';
import { isSecret } from './env/variable-kinds.ts';
import { readWorkerSettings, type WorkerSettings } from './env/worker.ts';
import { baseEnv, type ProcessEnv } from './process/base-env.ts';
import { type EnvSource, readVariables } from './read-variables.ts';

/**
 * The only reader of the process environment. What there is to read stands in sections, one file a module in `env/`: the
 * service and the worker of a module then read the same variables by the same rules.
 */

export type { CliEnv, EdgeEnv, MetricsSettings, ServiceSettings, WorkerSettings };

/** Variables by name, each with the kind of its value. */
export type EnvSection = Readonly<Record<string, z.ZodType>>;
export type ReadSection<Section extends EnvSection> = z.infer<z.ZodObject<Section>>;

/** Reads a section. @throws VALIDATION_FAILED listing every bad variable, never a value */
export function readSection<Section extends EnvSection>(
  section: Section,
  source: EnvSource = process.env,
): ReadSection<Section> {
  return readVariables(z.object(section), source);
}

/** What every HTTP service reads, by its row of the table. @throws VALIDATION_FAILED */
export const readServiceEnv = (row: ServiceRow, source: EnvSource = process.env): ServiceSettings =>
  readServiceSettings(row, source);

/** Where the process of HTTP services tells its metrics; null where it tells nobody. @throws VALIDATION_FAILED */
export function readServiceMetrics(source: EnvSource = process.env): MetricsSettings | null {
  const env = readSection(serviceMetricsSection, source);
  return metricsSettings(env, 'METRICS_PORT', env.METRICS_PORT);
}

/** What every worker reads. @throws VALIDATION_FAILED */
export const readWorkerEnv = (source: EnvSource = process.env): WorkerSettings => readWorkerSettings(source);

/** What the local edge router reads. @throws VALIDATION_FAILED */
export const readEdgeEnv = (source: EnvSource = process.env): EdgeEnv => readEdgeVariables(source);

/** What the command line reads. @throws VALIDATION_FAILED */
export const readCliEnv = (source: EnvSource = process.env): CliEnv => readCliVariables(source);

/** The few variables that subprocesses may see, and no credential. */
export const readSubprocessEnv = (source: EnvSource = process.env): ProcessEnv => baseEnv(source);

const SHORTEST_KEY = 16;

/** As in `mongodb://user:password@host`. */
const ADDRESS_PASSWORD = /^[a-z0-9+.-]+:\/\/[^/@]*?:([^/@]+)@/i;

/**
 * Values that no line of a log may hold: those of the variables that the sections mark as secret, and every secret that
 * an installation generates. A list of keys is there whole and key by key, an address whole and its
 * password, as it is written there and decoded.
 */
export function readSecrets(sections: readonly EnvSection[], source: EnvSource = process.env): readonly string[] {
  const marked = sections.flatMap((section) =>
    Object.entries(section).flatMap(([name, kind]) => (isSecret(kind) ? name : [])),
  );
  const ofDatabases = SERVICE_ROWS.flatMap(({ databaseUriVariable }) => databaseUriVariable ?? []);
  const names = new Set([...GENERATED_SECRETS.map(({ variable }) => variable), ...ofDatabases, ...marked]);
  const values = [...names].flatMap((name) => source[name] || []);
  const keys = values.flatMap((value) => value.split(',').map((part) => part.trim()));
  const written = values.flatMap((value) => ADDRESS_PASSWORD.exec(value)?.[1] ?? []);
  const passwords = written.flatMap((password) => [password, decoded(password)]);
  return [...new Set([...values, ...passwords, ...keys.filter((key) => key.length >= SHORTEST_KEY)])];
}

/** A password as its user knows it; as it is where it is not encoded. */
function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}

/** Names a process in logs and in the Temporal UI. */
export const processIdentity = (role: string): string => `${role}@${hostname()}:${process.pid}`;
