import { httpServiceSection } from '../adapters/env/http-service.ts';
import { serviceMetricsSection } from '../adapters/env/metrics.ts';
import {
  type EnvSection,
  type MetricsSettings,
  readSecrets,
  readSection,
  readServiceEnv,
  readServiceMetrics,
} from '../adapters/env.ts';
import { createLogger } from '../adapters/logging/logger.ts';
import type { ProcessMetrics } from '../adapters/metrics/process-metrics.ts';
import { giveBackMemoryWhenIdle } from '../adapters/process/give-back-memory.ts';
import { createHostProcess } from '../adapters/process/host-process.ts';
import { readTogether } from '../adapters/read-variables.ts';
import { type ServiceName, serviceRow } from '../domain/services.ts';
import type { RunningService } from './http/server.ts';
import { selectServices } from './select-services.ts';
import type { ServiceDefinition } from './service-definition.ts';
import { type ServiceEnv, startService } from './start-service.ts';

/**
 * The HTTP services in one process: `api/main.ts [--only idp,builder]`. Says `ready` to its supervisor once they serve,
 * and drains and ends with 0 on SIGTERM, SIGINT, or when the supervisor's channel closes.
 */

/** What each service of the table is; only those that run are loaded. */
const DEFINITIONS: Readonly<Record<ServiceName, () => Promise<ServiceDefinition>>> = {
  idp: async () => (await import('./services/idp.ts')).idp,
  builder: async () => (await import('./services/builder.ts')).builder,
  registry: async () => (await import('./services/registry.ts')).registry,
  wallet: async () => (await import('./services/wallet.ts')).wallet,
  'audit-ledger': async () => (await import('./services/audit-ledger.ts')).auditLedger,
  'site-registry': async () => (await import('./services/site-registry.ts')).siteRegistry,
  monitor: async () => (await import('./services/monitor.ts')).monitor,
  locker: async () => (await import('./services/locker.ts')).locker,
  console: async () => (await import('./services/console.ts')).console,
};

async function main(args: readonly string[]): Promise<void> {
  const definitions = await Promise.all(selectServices(args).map((name) => DEFINITIONS[name]()));
  const { services, metrics: reader } = readTogether({
    services: () => readEnvironments(definitions),
    metrics: () => readServiceMetrics(),
  });
  const log = createLogger({
    name: 'api',
    level: services[0]?.env.settings.logLevel ?? 'info',
    secrets: readSecrets([httpServiceSection, serviceMetricsSection, ...definitions.map(({ section }) => section)]),
  });
  const running: RunningService[] = [];
  const opened = new AsyncDisposableStack();
  const metrics = reader === null ? null : await openMetrics(reader, opened);
  const stopAll = async (): Promise<void> => {
    const ended = await Promise.allSettled([...running.map((service) => service.stop()), opened.disposeAsync()]);
    for (const outcome of ended) if (outcome.status === 'rejected') log.error({ err: outcome.reason }, 'not closed');
  };
  for (const { definition, env } of services) {
    const { name } = definition;
    try {
      running.push(await startService(definition, env, log.child({ service: name }), metrics));
    } catch (error) {
      await stopAll();
      throw error;
    }
    log.info({ service: name, address: running.at(-1)?.address }, 'serving');
  }
  const host = createHostProcess();
  host.ready();
  giveBackMemoryWhenIdle();
  await host.stopRequested;
  log.info('draining');
  await stopAll();
  log.info('stopped');
  process.exit(0);
}

/** Loaded where somebody reads them alone. */
async function openMetrics(reader: MetricsSettings, opened: AsyncDisposableStack): Promise<ProcessMetrics> {
  const { openProcessMetrics } = await import('../adapters/metrics/process-metrics.ts');
  return openProcessMetrics(reader, opened);
}

interface Service {
  readonly definition: ServiceDefinition;
  readonly env: ServiceEnv<EnvSection>;
}

/** @throws VALIDATION_FAILED listing what is bad for any of them */
function readEnvironments(definitions: readonly ServiceDefinition[]): readonly Service[] {
  const readers = definitions.map((definition) => {
    const read = (): ServiceEnv<EnvSection> =>
      readTogether({
        settings: () => readServiceEnv(serviceRow(definition.name)),
        own: () => readSection(definition.section),
      });
    return [definition.name, () => ({ definition, env: read() })] as const;
  });
  return Object.values(readTogether(Object.fromEntries(readers)));
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

main(process.argv.slice(2)).catch(fail);
