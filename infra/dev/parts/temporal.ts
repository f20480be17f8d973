import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TemporalTlsFiles } from '../../../adapters/env/platform.ts';
import { makePrivateFolder } from '../data-folder.ts';
import { freePorts } from '../free-ports.ts';
import { projectRoot } from '../project.ts';
import { NODE_FLAGS } from '../runtime-variables.ts';
import { ensureTemporalCertificates, temporalCertificates } from '../temporal-certificates.ts';
import { databaseFile, INNER_PORTS, temporalConfig, temporalDynamicConfig } from '../temporal-config.ts';
import { prepareTemporalDatabase } from '../temporal-database.ts';
import { runProgram } from '../tools/run-program.ts';
import { temporalServer } from '../tools/temporal-server.ts';
import { definePart, type PartContext } from './embedded-part.ts';

export const TEMPORAL_HOST = '127.0.0.1';

/** The certificates of its clients, by the variables that name them. */
const TLS_VARIABLES = {
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: 'ca',
  TEMPORAL_TLS_CLIENT_CERT_PATH: 'certificate',
  TEMPORAL_TLS_CLIENT_KEY_PATH: 'key',
  TEMPORAL_TLS_SERVER_NAME: 'serverName',
} as const satisfies Record<string, keyof TemporalTlsFiles>;

/**
 * Temporal on a database file. It answers clients with a certificate of this stack, and nobody else: neither at its
 * address nor at those by which its own services speak with each other.
 */
export const temporal = definePart({
  name: 'temporal',
  title: 'Temporal',
  tools: [temporalServer],
  ports: { temporal: { usual: 7233, variable: 'FAIRLEAD_TEMPORAL_PORT', title: 'Temporal' } },
  folder: 'temporal',
  secrets: [],
  replacedBy: 'TEMPORAL_ADDRESS',
  replacedWith: ['TEMPORAL_NAMESPACE', ...Object.keys(TLS_VARIABLES)],
  starts: 'always',
  provides: [
    { variable: 'TEMPORAL_ADDRESS', heldBy: 'every process', value: ({ ports }) => addressOf(ports.temporal) },
    ...Object.entries(TLS_VARIABLES).map(([variable, file]) => ({
      variable,
      heldBy: 'every process' as const,
      value: ({ dataDir }: Pick<PartContext, 'dataDir'>) => temporalCertificates(dataDir).client[file] ?? '',
    })),
  ],
  addresses: (ports) => ({ temporal: addressOf(ports.temporal) }),
  credentials: (context) => temporalVariables(context),
  children: (tool, context) => {
    const { dataDir, ports } = context;
    const home = join(dataDir, 'temporal');
    const client = temporalVariables(context);
    return [
      {
        name: 'temporal',
        command: tool.path,
        // It has no authorizer: who has a certificate may do everything.
        args: ['--allow-no-auth', '--root', home, '--config', 'config', '--env', 'embedded', 'start'],
        exitsBy: 'watchdog',
        ready: { kind: 'tcp', host: TEMPORAL_HOST, port: ports.temporal },
        readyTimeoutMs: 60_000,
        graceMs: 10_000,
        beforeStart: async () => {
          await makePrivateFolder(home);
          const config = join(home, 'config');
          await mkdir(config, { recursive: true });
          await ensureTemporalCertificates(dataDir);
          prepareTemporalDatabase(databaseFile(dataDir));
          const innerPorts = await freePorts(INNER_PORTS);
          const tls = temporalCertificates(dataDir).server;
          const options = { dataDir, host: TEMPORAL_HOST, port: ports.temporal, innerPorts, tls };
          await writeFile(join(config, 'embedded.yaml'), temporalConfig(options));
          await writeFile(join(config, 'dynamic.yaml'), temporalDynamicConfig());
        },
        afterReady: async () => {
          const script = join(projectRoot, 'infra', 'dev', 'prepare-temporal.ts');
          await runProgram(process.execPath, [...NODE_FLAGS, script], { env: client, timeoutMs: 60_000 });
        },
      },
    ];
  },
});

/** What a client of the embedded server reads. @param ports of the stack, that of Temporal among them */
export function temporalVariables({ dataDir, ports, env }: Pick<PartContext, 'dataDir' | 'ports' | 'env'>) {
  const { client } = temporalCertificates(dataDir);
  const files = Object.entries(TLS_VARIABLES).map(([variable, file]) => [variable, client[file] ?? '']);
  return {
    TEMPORAL_ADDRESS: addressOf(ports.temporal ?? 0),
    TEMPORAL_NAMESPACE: env.TEMPORAL_NAMESPACE || 'default',
    ...(Object.fromEntries(files) as Record<keyof typeof TLS_VARIABLES, string>),
  };
}

function addressOf(port: number): string {
  return `${TEMPORAL_HOST}:${port}`;
}
