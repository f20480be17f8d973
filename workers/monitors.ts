import { hostname } from 'node:os';
import { join } from 'node:path';
import { createBeginInTurn } from '../activities/incidents/begin-in-turn.ts';
import { createTransitionListener } from '../activities/incidents/tell-transition.ts';
import { createFaultWatch } from '../activities/monitors/fault-watch.ts';
import { createMonitorsActivities } from '../activities/monitors/index.ts';
import { createOpenedSecrets, type OpenedSecretsDeps } from '../activities/monitors/opened-secrets.ts';
import { openShardRecorder } from '../activities/monitors/shard-recorder.ts';
import { createUpkeepActivities } from '../activities/monitors/upkeep.ts';
import { createServedDomains } from '../adapters/builder/served-domains.ts';
import { createSecretCipher } from '../adapters/crypto/secret-cipher.ts';
import { monitorsWorkerSection } from '../adapters/env/monitors.ts';
import type { ReadSection } from '../adapters/env.ts';
import { createGuardedFetch } from '../adapters/http-fetch/guarded-fetch.ts';
import { followDatabaseClock } from '../adapters/mongo/database-clock.ts';
import { createIncidentStore } from '../adapters/mongo/incidents/incidents.ts';
import { createMonitorIndexes } from '../adapters/mongo/monitor-database.ts';
import { createBurnStore } from '../adapters/mongo/monitors/burns.ts';
import { createCheckSecretStore } from '../adapters/mongo/monitors/check-secrets.ts';
import { createConditionStore } from '../adapters/mongo/monitors/conditions.ts';
import { createHeartbeatStore } from '../adapters/mongo/monitors/heartbeats.ts';
import { createMonitorStore } from '../adapters/mongo/monitors/monitors.ts';
import { createReconcileMemory } from '../adapters/mongo/monitors/reconcile-memory.ts';
import { createResultStore } from '../adapters/mongo/monitors/results.ts';
import { createRollUpStore } from '../adapters/mongo/monitors/roll-ups.ts';
import { createChannelStore } from '../adapters/mongo/notifications/channels.ts';
import { createDeliveryStore } from '../adapters/mongo/notifications/deliveries.ts';
import { createEscalationStore } from '../adapters/mongo/notifications/escalations.ts';
import { createNoticeStore } from '../adapters/mongo/notifications/notices.ts';
import { createDeadManPing } from '../adapters/prober/dead-man-url.ts';
import { createProber } from '../adapters/prober/prober.ts';
import { createResultSpool } from '../adapters/prober/result-spool.ts';
import { createRegisteredTargets } from '../adapters/registry/registered-targets.ts';
import { createDeliveryCommands } from '../adapters/temporal/delivery-commands.ts';
import { createIncidentCommands } from '../adapters/temporal/incident-commands.ts';
import { FairleadError } from '../domain/errors.ts';
import { checkSecretContext } from '../domain/monitors/check-secret.ts';
import { SHARDS } from '../domain/monitors/monitor.ts';
import { platformHosts } from '../domain/monitors/platform-host.ts';
import { createMonitorHistory } from '../domain/monitors/read-history.ts';
import type { MonitorSources } from '../domain/monitors/source-of-monitor.ts';
import { createOutbox } from '../domain/notifications/create-outbox.ts';
import { originsTrustedFor } from '../domain/notifications/trusted-origins.ts';
import { monitorsSchedules } from '../workflows/monitors/schedules.ts';
import { defineModule, type WorkerParts } from './module.ts';

/**
 * Beside the holders of shards: a roll-up of each, of which some run and the others wait, the reconcile and what it deletes, and
 * the call that all goes well.
 */
const OTHER_SLOTS = SHARDS + 3;
const PING_TIMEOUT_MS = 10_000;
const MOST_ANSWER_BYTES = 16 * 1024;

/**
 * Checks of monitors, their results and roll-ups. A shard takes a slot for as long as the worker runs, so they have a queue
 * of their own. Its setting: MONITOR_URL, which says that this installation has an uptime monitor.
 */
export const monitors = defineModule({
  name: 'monitors',
  section: monitorsWorkerSection,
  schedules: monitorsSchedules,
  queue: 'own',
  slots: () => SHARDS + OTHER_SLOTS,
  async compose(parts) {
    const { settings, connect, client, logger, opened } = parts;
    if (settings.urls.monitor === undefined) return null;
    const { db } = await connect('monitor');
    await createMonitorIndexes(db);
    const onFailure = (err: unknown) => logger.warn({ err }, "the database's time cannot be read");
    // Whoever holds a shard, its results are by one clock.
    const { now } = opened.adopt(await followDatabaseClock({ db, onFailure }), ({ close }) => close());
    const warn = (problem: object, message: string): void => logger.warn(problem, message);
    const stores = {
      monitors: createMonitorStore({ db }),
      conditions: createConditionStore({ db }),
      results: createResultStore({ db }),
    };
    const rollUps = createRollUpStore({ db });
    const commands = createDeliveryCommands(client);
    const channels = createChannelStore({ db });
    const outbox = createOutbox({
      channels,
      deliveries: createDeliveryStore({ db }),
      notices: createNoticeStore({ db }),
      ...{ commands, now },
    });
    const incidentCommands = createIncidentCommands(client);
    const incidents = createIncidentStore({ db });
    const begin = createBeginInTurn({ commands: incidentCommands, incidents });
    const listener = createTransitionListener({
      ...{ commands: { ...incidentCommands, begin }, outbox, incidents, now },
      ...{ channels, escalations: createEscalationStore({ db }), warn },
    });
    const recording = {
      ...{ ...stores, listener, now },
      onFailure: (err: unknown) => warn({ err }, 'the incidents could not be told of a monitor yet'),
    };
    const { prober, spool } = composeProber(parts);
    const openSecret = composeOpenSecret(parts);
    return {
      ...createMonitorsActivities({
        openRecorder: (shard) => openShardRecorder(recording, shard),
        monitors: stores.monitors,
        heartbeats: createHeartbeatStore({ db }),
        openSecrets: () => createOpenedSecrets({ secrets: createCheckSecretStore({ db }), openSecret, warn }),
        ...{ prober, spool, now, warn },
        isPlatformHost: platformHosts(parts.env.PLATFORM_DOMAIN),
        faults: createFaultWatch({ prober, outbox, now, proberName: hostname(), warn }),
      }),
      ...createUpkeepActivities({
        ...stores,
        rollUps,
        history: createMonitorHistory({ rollUps }),
        burns: createBurnStore({ db }),
        heartbeats: createHeartbeatStore({ db }),
        ...composeSources(parts),
        memory: createReconcileMemory({ db }),
        ping: composePing(parts),
        platformOrg: settings.platformOrg,
        ...{ outbox, now, warn },
      }),
    };
  },
});

type Parts = WorkerParts<ReadSection<typeof monitorsWorkerSection>>;

/** A worker without the key sends no secret: the checks that need one say so. */
function composeOpenSecret({ env: { MONITOR_ENCRYPTION_KEY: keys } }: Parts): OpenedSecretsDeps['openSecret'] {
  const cipher = keys === undefined ? null : createSecretCipher(keys, 'MONITOR_ENCRYPTION_KEY');
  return (org, secret) => {
    if (cipher === null) throw new FairleadError('INTERNAL', 'This worker has no MONITOR_ENCRYPTION_KEY');
    return cipher.open(secret.sealed, checkSecretContext(org, secret));
  };
}

/** By the rules of the operators' own webhooks: a private address has to be a trusted origin. Null where none is set. */
function composePing({ env, settings: { platformOrg } }: Parts) {
  const { MONITOR_DEAD_MAN_URL: url, WEBHOOK_TRUSTED_ORIGINS: listed } = env;
  if (url === undefined) return null;
  const trustedOrigins = originsTrustedFor(listed, null, platformOrg);
  const limits = { timeoutMs: PING_TIMEOUT_MS, mostBytes: MOST_ANSWER_BYTES };
  return createDeadManPing(url, createGuardedFetch({ trustedOrigins, ...limits }));
}

/** Its threads start with the first monitors. */
function composeProber({ env, settings, logger, opened }: Parts) {
  const { EDGE_PORT: edge, EDGE_TLS_PORT: edgeTls } = env;
  const prober = createProber({
    networks: {
      allowed: networksOf(env, '*'),
      edgePorts: edgeTls === undefined ? [edge] : [edge, edgeTls],
      edgeHost: env.INGRESS_TARGET ?? env.PLATFORM_DOMAIN,
    },
    allowedOfOrgs: networksOfOrgs(env, settings.platformOrg),
    nameServers: env.MONITOR_NAME_SERVERS,
    controls: env.MONITOR_CONTROL_TARGETS,
    warn: (problem, message) => logger.warn(problem, message),
  });
  opened.defer(() => prober.close());
  const spool = createResultSpool({
    folder: join(env.DATA_DIR, 'monitor-results'),
    onDrop: (shard) => logger.error({ shard }, 'the oldest results that waited for the database were thrown away'),
  });
  return { prober, spool };
}

type Listed = Pick<Parts['env'], 'MONITOR_ALLOWED_NETWORKS'>;

function networksOf({ MONITOR_ALLOWED_NETWORKS: listed }: Listed, org: string | null): readonly string[] {
  return listed.filter((entry) => entry.org === org).map(({ network }) => network);
}

/** A network that is listed without an org is the platform's, and that of monitors without an org, which operators see alone. */
function networksOfOrgs(env: Listed, platformOrg: string): ReadonlyMap<string, readonly string[]> {
  const own = networksOf(env, null);
  const named = new Set(env.MONITOR_ALLOWED_NETWORKS.flatMap(({ org }) => (org === null || org === '*' ? [] : [org])));
  const ofOrgs = [...named].map((org) => [org, networksOf(env, org)] as const);
  const ofPlatform = [...own, ...networksOf(env, platformOrg)];
  return new Map([...ofOrgs, [platformOrg, ofPlatform], ['', own]]);
}

/** Each is null where this installation does not have the service. */
function composeSources({ settings: { urls, internalKey } }: Pick<Parts, 'settings'>): MonitorSources {
  const at = (url: string | undefined) =>
    url === undefined || internalKey === undefined ? null : { url, internalKey };
  const [registry, builder] = [at(urls.registry), at(urls.builder)];
  return {
    targets: registry && createRegisteredTargets(registry),
    domains: builder && createServedDomains(builder),
  };
}
