import type { Logger } from 'pino';
import { readApiProcessEnv, readAuditEnv, readBuilderEnv, readIdpEnv } from '../adapters/env.ts';
import { createLogger } from '../adapters/logging/logger.ts';
import { createHostProcess } from '../adapters/process/host-process.ts';
import { readTogether } from '../adapters/read-variables.ts';
import type { ServiceName } from '../domain/services.ts';
import type { RunningService } from './http/server.ts';
import { selectServices } from './select-services.ts';
import { startAuditLedger } from './start-audit-ledger.ts';
import { startBuilder } from './start-builder.ts';
import { startIdp } from './start-idp.ts';

/**
 * The HTTP services in one process: `api/main.ts [--only idp,builder]`. Says `ready` to its supervisor once they serve,
 * and drains and ends with 0 on SIGTERM, SIGINT, or when the supervisor's channel closes.
 */

type Start = (log: Logger) => Promise<RunningService>;

/** How each service of the table is prepared, which checks its environment, and then started. */
const PREPARE: Readonly<Record<ServiceName, () => Start>> = {
  idp: () => {
    const env = readIdpEnv();
    return (log) => startIdp(env, log);
  },
  builder: () => {
    const env = readBuilderEnv();
    return (log) => startBuilder(env, log);
  },
  'audit-ledger': () => {
    const env = readAuditEnv();
    return (log) => startAuditLedger(env, log);
  },
};

async function main(args: readonly string[]): Promise<void> {
  const names = selectServices(args);
  const env = readApiProcessEnv();
  const log = createLogger({ name: 'api', level: env.LOG_LEVEL, secrets: env.secrets });
  const starts = readTogether(names.map((name) => () => [name, PREPARE[name]()] as const));
  const running: RunningService[] = [];
  const stopAll = async (): Promise<void> => {
    await Promise.all(running.map((service) => service.stop()));
  };
  for (const [name, start] of starts) {
    try {
      running.push(await start(log.child({ service: name })));
    } catch (error) {
      await stopAll();
      throw error;
    }
    log.info({ service: name, address: running.at(-1)?.address }, 'serving');
  }
  const host = createHostProcess();
  host.ready();
  await host.stopRequested;
  log.info('draining');
  await stopAll();
  log.info('stopped');
  process.exit(0);
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

main(process.argv.slice(2)).catch(fail);
