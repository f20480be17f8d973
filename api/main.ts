import type { Logger } from 'pino';
import { readApiProcessEnv } from '../adapters/env.ts';
import { createLogger } from '../adapters/logging/logger.ts';
import { createHostProcess } from '../adapters/process/host-process.ts';
import type { RunningService } from './http/server.ts';
import { type ServiceName, selectServices } from './services.ts';
import { startBuilder } from './start-builder.ts';

/**
 * The HTTP services in one process: `api/main.ts [--only idp,builder]`. Says `ready` to its supervisor once they serve,
 * and drains and ends with 0 on SIGTERM, SIGINT, or when the supervisor's channel closes.
 */

/** How each service of the table is started. */
const START: Readonly<Record<ServiceName, (log: Logger) => Promise<RunningService>>> = {
  builder: startBuilder,
};

async function main(args: readonly string[]): Promise<void> {
  const names = selectServices(args);
  const env = readApiProcessEnv();
  const log = createLogger({ name: 'api', level: env.LOG_LEVEL, secrets: env.secrets });
  const running: RunningService[] = [];
  const stopAll = async (): Promise<void> => {
    await Promise.all(running.map((service) => service.stop()));
  };
  for (const name of names) {
    try {
      running.push(await START[name](log.child({ service: name })));
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
