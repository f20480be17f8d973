import type { CheckHeader } from './check-headers.ts';

/** Whether an answer over HTTP counts as up. */
export interface HttpExpectation {
  /** The one status that counts; null: any 2xx. Redirects are never followed. */
  readonly expectStatus: number | null;
  /** A part of the first {@link MOST_BODY_BYTES} of the body. */
  readonly expectBodyContains: string | null;
  /** A value in a JSON body: `$.status` with dots and `[n]`; the value as text. */
  readonly json: { readonly path: string; readonly equals: string } | null;
  /** A slower answer counts as `slow`: degraded. */
  readonly latencyBudgetMs: number | null;
}

export interface HttpCheck extends HttpExpectation {
  readonly kind: 'http';
  readonly url: string;
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** What is sent besides the check's own headers; left out: nothing. */
  readonly headers?: readonly CheckHeader[] | undefined;
}

/** A TCP port by its host name or address. */
interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export const DNS_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT'] as const;

export type MonitorCheck =
  | HttpCheck
  /** The certificate: valid for the name, and for so many days more; fewer is `slow`, expired is `failed`. */
  | (Endpoint & { readonly kind: 'tls'; readonly serverName: string; readonly warnDays: number })
  | (Endpoint & { readonly kind: 'tcp' })
  | {
      readonly kind: 'dns';
      readonly name: string;
      readonly type: (typeof DNS_TYPES)[number];
      /** One of the records has to be this; null: there has to be one. */
      readonly expect: string | null;
    }
  | { readonly kind: 'websocket'; readonly url: string }
  /** The handshake alone: no login. */
  | (Endpoint & { readonly kind: 'postgres' })
  | (Endpoint & { readonly kind: 'mongodb' })
  /** A job that reports: every `periodSeconds`, or `graceSeconds` later. The token is kept as its SHA-256, in hex. */
  | {
      readonly kind: 'heartbeat';
      readonly tokenHash: string;
      readonly periodSeconds: number;
      readonly graceSeconds: number;
      /** The token before this one, which counts for a while after it was replaced. */
      readonly formerToken?: { readonly tokenHash: string; readonly until: Date } | undefined;
    };

export type CheckKind = MonitorCheck['kind'];

/** What people read of each kind. */
export const CHECK_KINDS = {
  http: 'HTTP',
  tls: 'TLS certificate',
  tcp: 'TCP',
  dns: 'DNS',
  websocket: 'WebSocket',
  postgres: 'PostgreSQL',
  mongodb: 'MongoDB',
  heartbeat: 'Heartbeat',
} as const satisfies Readonly<Record<CheckKind, string>>;

/** Of a body, so much is read. */
export const MOST_BODY_BYTES = 64 * 1024;
export const MOST_EXPECTED_CHARACTERS = 200;
/** A check that takes longer has failed. */
export const CHECK_TIMEOUT_MS = 10_000;

/** What a check is pointed at, for people. A heartbeat has no address. */
export function targetOf(check: MonitorCheck): string {
  switch (check.kind) {
    case 'http':
    case 'websocket':
      return check.url;
    case 'dns':
      return `${check.name} ${check.type}`;
    case 'heartbeat':
      return `every ${check.periodSeconds} s`;
    default:
      return `${check.host}:${check.port}`;
  }
}
