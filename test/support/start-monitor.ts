import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { equalsSecret } from '../../adapters/crypto/equals-secret.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { createLogger } from '../../adapters/logging/logger.ts';
import { createBurnStore } from '../../adapters/mongo/monitors/burns.ts';
import { createCheckSecretStore } from '../../adapters/mongo/monitors/check-secrets.ts';
import { createHeartbeatStore } from '../../adapters/mongo/monitors/heartbeats.ts';
import { createMailCounts } from '../../adapters/mongo/notifications/mail-counts.ts';
import { createSubscriberStore } from '../../adapters/mongo/notifications/subscribers.ts';
import { createChannelLinks } from '../../adapters/notifications/channel-links.ts';
import { createWebhookAddressCheck } from '../../adapters/notifications/webhook-address.ts';
import { type Authenticate, type Caller, createInternalKeyAuth } from '../../api/http/caller.ts';
import { createOrgLimit } from '../../api/http/org-limit.ts';
import type { ProtectedResource } from '../../api/http/protected-resource.ts';
import { startServer } from '../../api/http/server.ts';
import { MOST_CHANGES } from '../../api/incidents/change-routes.ts';
import { createMonitorApp, type MonitorDeps } from '../../api/monitor-app.ts';
import { MOST_ADDED } from '../../api/monitors/create-route.ts';
import { createMonitorGate } from '../../api/monitors/monitor-callers.ts';
import { recordChange } from '../../api/monitors/record-change.ts';
import type { DashboardSignIn } from '../../api/status-page/dashboard/deps.ts';
import { createStatusReader } from '../../api/status-page/status-reader.ts';
import { emptyCondition } from '../../domain/monitors/apply-result.ts';
import { checkSecretContext } from '../../domain/monitors/check-secret.ts';
import type { Condition } from '../../domain/monitors/condition.ts';
import { createMonitorHistory } from '../../domain/monitors/read-history.ts';
import { createOutbox } from '../../domain/notifications/create-outbox.ts';
import { withSubscribers } from '../../domain/notifications/with-subscribers.ts';
import { createAnnounceMaintenance } from '../../domain/status-page/announce-maintenance.ts';
import { freePort } from './free-port.ts';
import { createInMemoryAudit } from './in-memory/audit-recorder.ts';
import { createDatabase } from './in-memory/database/database.ts';
import { createMemoryIncidentCommands } from './in-memory/incident-commands.ts';
import { createMemoryIncidents } from './in-memory/incidents.ts';
import { createMemoryRollUps } from './in-memory/monitor-history.ts';
import { createMemoryConditions, createMemoryMonitors } from './in-memory/monitors.ts';
import {
  createMemoryChannels,
  createMemoryDeliveries,
  createMemoryEscalations,
  createMemoryNotices,
} from './in-memory/notifications.ts';
import type { Answer } from './start-api.ts';

/** Of secrets of checks. */
export const cipher = createSecretCipher([randomBytes(32)]);
const PAGES = { platformOrg: 'platform', platformName: 'Fairlead' } as const;
export const KEY = 'internal-key-of-this-test-0123456789';

export interface MonitorTestOptions {
  readonly changes?: Partial<MonitorDeps>;
  readonly now?: () => Date;
  /** Tokens, besides those that a header plays. */
  readonly authenticate?: Authenticate;
  /** How people sign in at that address. */
  readonly signIn?: (address: string) => Pick<DashboardSignIn, 'login'>;
  readonly protectedResource?: ProtectedResource;
  /** MONITOR_INTERNAL_KEY. */
  readonly key?: string;
  /** By address; hardly any limit without it. */
  readonly requestsPerMinute?: number;
}

/**
 * The uptime monitor's app on a free port, on parts in memory. The header `x-test-caller` plays a token:
 * `user/<org>/<role>`, `root` or `service/<org>`; the internal key counts as everywhere.
 */
export async function startMonitor(options: MonitorTestOptions = {}) {
  const now = options.now ?? (() => new Date());
  const parts = memoryParts(now);
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const deps: MonitorDeps = {
    ...parts,
    ...{ targets: null, domains: null },
    checkWebhookAddress: createWebhookAddressCheck([{ org: '*', origin: 'http://hooks.internal' }], 'platform'),
    sealForChecks: (org, secret, value) => cipher.seal(value, checkSecretContext(org, secret)),
    sealForChannel: () => ({ keyId: 'test', sealed: 'sealed' }),
    newWebhookSecret: () => ({ secret: 'whsec_c2VjcmV0', sealed: { keyId: 'test', sealed: 'sealed' } }),
    ...{ changelogs: null, deploys: null },
    recordChange: (context, caller, facts) => recordChange({ ...parts, newId, now }, context, caller, facts),
    newHeartbeatToken: () => randomBytes(32).toString('base64url'),
    isPlatformHost: (host) => host.endsWith('.example.com'),
    ...{ publicUrl: address, statusUrl: address, sendsMail: true },
    ...{ ...PAGES, newId, now },
    announceMaintenance: createAnnounceMaintenance({ ...PAGES, statusUrl: address, outbox: parts.outbox }),
    ...options.changes,
  };
  const stopping = new AbortController();
  const logged: string[] = [];
  const lines = new Writable({
    write: (chunk, _encoding, done) => {
      logged.push(String(chunk));
      done();
    },
  });
  const log = createLogger({ name: 'test', level: 'debug', secrets: [KEY] }, lines);
  const reader = createStatusReader({ ...deps, log });
  const byKey = createInternalKeyAuth({ key: KEY, org: 'platform', equalsSecret });
  const gate = createMonitorGate({
    authenticate: async (request) =>
      playedCaller(request.headers['x-test-caller']) ?? (await (options.authenticate ?? byKey)(request)),
    key: options.key ?? KEY,
    platformOrg: 'platform',
    equalsSecret,
  });
  const app = createMonitorApp(deps, {
    ...(options.protectedResource !== undefined && { protectedResource: options.protectedResource }),
    ...{ authenticate: gate, newId, log, reader, stopping: stopping.signal },
    requestsPerMinute: options.requestsPerMinute ?? 1_000_000,
    health: { commit: 'c0ffee', version: '1.2.3', now, checks: {} },
    pages: { login: null, ...options.signIn?.(address), secureCookies: false, origin: address },
  });
  const server = await startServer(app, { host: '127.0.0.1', port, stopping, graceMs: 2_000 });

  /** By the internal key, unless `headers` say otherwise. */
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = { 'x-internal-key': KEY },
  ): Promise<Answer> {
    const response = await fetch(server.address + path, {
      method,
      redirect: 'manual',
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : null;
    return { status: response.status, headers: response.headers, text, body: json };
  }

  /** Says how a monitor is, as the holder of its shard would. */
  async function report(monitorId: string, change: Partial<Condition>): Promise<void> {
    await parts.conditions.claim([monitorId], 1);
    await parts.conditions.write([{ ...emptyCondition(monitorId), ...change }], 1);
  }

  return {
    ...parts,
    deps,
    reader,
    address: server.address,
    call,
    report,
    told: parts.audit.told,
    /** Lines of the log. */
    logged,
    stop: () => server.stop(),
  };
}

function memoryParts(now: () => Date) {
  const rollUps = createMemoryRollUps();
  const incidents = createMemoryIncidents();
  const [channels, deliveries, notices] = [createMemoryChannels(), createMemoryDeliveries(), createMemoryNotices()];
  const { db } = createDatabase().connection;
  const subscribers = createSubscriberStore({ db });
  const delivered: string[] = [];
  const gathered: (string | null)[] = [];
  const deliveryCommands = {
    deliver: async (id: string) => {
      delivered.push(id);
    },
    gather: async (org: string | null) => {
      gathered.push(org);
    },
  };
  const kept = new Map<string, string>();
  return {
    monitors: createMemoryMonitors(),
    conditions: createMemoryConditions(),
    ...{ rollUps, history: createMonitorHistory({ rollUps }) },
    heartbeats: createHeartbeatStore({ db: createDatabase().connection.db }),
    burns: createBurnStore({ db }),
    checkSecrets: createCheckSecretStore({ db }),
    addLimit: createOrgLimit(MOST_ADDED, 'new monitors'),
    changeLimit: createOrgLimit(MOST_CHANGES, 'changes of incidents'),
    ...{ incidents, incidentCommands: createMemoryIncidentCommands(incidents) },
    ...{ channels, deliveries, notices, deliveryCommands, delivered, gathered },
    escalations: createMemoryEscalations(),
    links: createChannelLinks([randomBytes(32)]),
    mailCounts: createMailCounts({ db }),
    subscribers,
    outbox: createOutbox({
      ...{ channels: withSubscribers(channels, subscribers), deliveries, notices, commands: deliveryCommands, now },
    }),
    audit: createInMemoryAudit(),
    snapshots: {
      keep: async (org: string, page: string) => {
        kept.set(org, page);
      },
      find: async (org: string) => kept.get(org) ?? null,
    },
  };
}

export type TestMonitor = Awaited<ReturnType<typeof startMonitor>>;

function playedCaller(header: string | string[] | undefined): Caller | null {
  if (typeof header !== 'string') return null;
  const [kind, org = '', role = ''] = header.split('/');
  if (kind === 'service') return { kind, clientId: `${org}-prod`, org, name: `${org}-prod`, scopes: [] };
  const person = {
    via: 'token',
    userId: 'usr_test',
    name: 'usr_test',
    email: 'a@example.org',
    clientId: 'cli',
  } as const;
  if (kind === 'root') return { kind: 'platform-admin', ...person, org: 'platform', role: 'admin' };
  if (kind !== 'user') return null;
  return { kind, ...person, org, role: role === 'viewer' || role === 'member' || role === 'admin' ? role : null };
}
