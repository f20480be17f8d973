import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FairleadError } from '../../domain/errors.ts';
import { writePrivateJson } from './data-folder.ts';
import type { Env } from './project.ts';
import type { Ports } from './stack-ports.ts';
import { serviceAddresses } from './stack-processes.ts';

const pathIn = (dataDir: string): string => join(dataDir, 'connection.json');

/** Tells the command line of this checkout how to reach the stack. @throws FairleadError UNAVAILABLE */
export async function writeConnection(
  dataDir: string,
  { env, key, ports, temporalUi }: { env: Env; key: string; ports: Ports; temporalUi: string | null },
): Promise<void> {
  await writePrivateJson(pathIn(dataDir), {
    api: `http://127.0.0.1:${ports.builder}`,
    key,
    edgePort: ports.edge,
    domain: env.PLATFORM_DOMAIN || 'localhost',
    services: serviceAddresses(env, ports),
    temporalUi,
    ports,
  }).catch((cause: Error) => {
    throw new FairleadError('UNAVAILABLE', `${dataDir} is not writable: ${cause.message}`, { cause });
  });
}

export async function removeConnection(dataDir: string): Promise<void> {
  await rm(pathIn(dataDir), { force: true });
}
