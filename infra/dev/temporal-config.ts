import { join } from 'node:path';
import type { TemporalTlsFiles } from '../../adapters/env/platform.ts';

export interface TemporalConfigOptions {
  readonly dataDir: string;
  readonly host: string;
  /** Of the frontend. */
  readonly port: number;
  /** Of the other services and of their membership: two each. */
  readonly innerPorts: readonly number[];
  readonly tls: TemporalTlsFiles;
}

const INNER_SERVICES = ['history', 'matching', 'worker'] as const;

/** Two for each service, less the port of the frontend. */
export const INNER_PORTS = 2 * INNER_SERVICES.length + 1;

/**
 * What the server is started with: one process with all services on a database file, as `temporal server start-dev` has
 * them, so that it reads a file that one made. Each port asks for a certificate of this stack. JSON is YAML.
 */
export function temporalConfig(options: TemporalConfigOptions): string {
  const { dataDir, host, port, innerPorts, tls } = options;
  const [frontendMembership = 0, ...others] = innerPorts;
  const service = (grpcPort: number, membershipPort: number) => ({ rpc: { grpcPort, membershipPort, bindOnIP: host } });
  const inner = INNER_SERVICES.map((name, index) => {
    return [name, service(others[2 * index] ?? 0, others[2 * index + 1] ?? 0)] as const;
  });
  const server = {
    ...{ certFile: tls.certificate, keyFile: tls.key },
    ...{ requireClientAuth: true, clientCaFiles: [tls.ca] },
  };
  const client = { serverName: tls.serverName, rootCaFiles: [tls.ca] };
  return JSON.stringify({
    log: { stdout: true, level: 'warn' },
    persistence: {
      ...{ defaultStore: 'default', visibilityStore: 'default', numHistoryShards: 1 },
      datastores: {
        default: {
          sql: {
            ...{ pluginName: 'sqlite', databaseName: databaseFile(dataDir) },
            ...{ connectAddr: 'localhost', connectProtocol: 'tcp', maxConns: 1, maxIdleConns: 1 },
            connectAttributes: { mode: 'rwc', setup: 'true', journal_mode: 'wal', synchronous: 'normal' },
          },
        },
      },
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: host },
      tls: {
        internode: { server, client },
        frontend: { server, client },
        systemWorker: { certFile: tls.certificate, keyFile: tls.key, client },
      },
    },
    services: { frontend: service(port, frontendMembership), ...Object.fromEntries(inner) },
    clusterMetadata: {
      ...{ enableGlobalNamespace: false, failoverVersionIncrement: 10 },
      ...{ masterClusterName: 'active', currentClusterName: 'active' },
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: `${host}:${port}` },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    archival: { history: { state: 'disabled' }, visibility: { state: 'disabled' } },
    namespaceDefaults: { archival: { history: { state: 'disabled' }, visibility: { state: 'disabled' } } },
    dynamicConfigClient: { filepath: join(dataDir, 'temporal', 'config', 'dynamic.yaml'), pollInterval: '1h' },
  });
}

/** Where the server keeps everything. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, 'temporal', 'temporal.db');
}

const DYNAMIC = {
  'system.enableActivityEagerExecution': true,
  'system.enableNexus': false,
  // The membership of its services asks for the certificate as well.
  'system.enableRingpopTLS': true,
  // They are all in one process: nobody has to hear of a start or an end first.
  'system.ringpopApproximateMaxPropagationTime': '100ms',
  // As the development server has it.
  'system.forceSearchAttributesCacheRefreshOnRead': true,
  'frontend.persistenceMaxQPS': 10_000,
  'history.persistenceMaxQPS': 45_000,
  'history.hostLevelCacheMaxSize': 8_096,
  'frontend.namespaceRPS.visibility': 100,
} as const;

export function temporalDynamicConfig(): string {
  return JSON.stringify(Object.fromEntries(Object.entries(DYNAMIC).map(([name, value]) => [name, [{ value }]])));
}
