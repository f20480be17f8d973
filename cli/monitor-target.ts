import { usageFailure } from './cli-failure.ts';
import { type HeaderOptions, headersOfOptions } from './request-headers.ts';

/** What a monitor checks, as `POST /api/monitors` takes it. */
export type CheckBody = { readonly kind: string } & Readonly<Record<string, unknown>>;

/** Options that say more of a check than its target. */
export interface CheckOptions {
  readonly expectStatus?: number;
  readonly expectBody?: string;
  readonly latency?: number;
  readonly grace?: number;
}

/** Options of a check over HTTP alone. */
type AllOptions = CheckOptions & HeaderOptions;

const PORTS: Readonly<Record<string, number>> = { tls: 443, postgres: 5_432, mongodb: 27_017 };

/**
 * A check by its target: `https://…`, `wss://…`, `tcp://host:port`, `tls://host`, `postgres://host`, `mongodb://host`,
 * `dns://name/TYPE`, or `heartbeat:<time>` for a job that reports. @throws CliFailure with exit `usage`
 */
export function checkOfTarget(target: string, options: AllOptions): CheckBody {
  const headers = headersOfOptions(options);
  const [, seconds] = /^heartbeat:(\d+)$/.exec(target) ?? [];
  if (seconds !== undefined) {
    return { kind: 'heartbeat', periodSeconds: Number(seconds), ...defined({ graceSeconds: options.grace }) };
  }
  const url = URL.parse(target);
  const scheme = url?.protocol.slice(0, -1) ?? '';
  if (url === null) throw unknownTarget(target);
  if (scheme === 'http' || scheme === 'https') {
    const { expectStatus, expectBody: expectBodyContains, latency: latencyBudgetMs } = options;
    return { kind: 'http', url: target, ...defined({ expectStatus, expectBodyContains, latencyBudgetMs, headers }) };
  }
  if (headers !== undefined)
    throw usageFailure(`A check of ${scheme} has no headers.`, 'They are for http:// and https://.');
  if (scheme === 'ws' || scheme === 'wss') return { kind: 'websocket', url: target };
  if (scheme === 'dns') {
    const type = url.pathname.slice(1).toUpperCase();
    return { kind: 'dns', name: url.host, ...defined({ type: type === '' ? undefined : type }) };
  }
  const port = url.port === '' ? PORTS[scheme] : Number(url.port);
  const isKnown = scheme === 'tcp' || Object.hasOwn(PORTS, scheme);
  if (!isKnown || port === undefined || url.hostname === '') throw unknownTarget(target);
  return { kind: scheme, host: url.hostname, port, ...(scheme === 'tls' ? { serverName: url.hostname } : {}) };
}

function defined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function unknownTarget(target: string) {
  return usageFailure(
    `${target} is no target of a monitor.`,
    'Targets: https://…, wss://…, tcp://<host>:<port>, tls://<host>, dns://<name>, postgres://<host>, mongodb://<host>, heartbeat:<seconds>.',
  );
}
