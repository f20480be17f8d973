import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createServedDomains } from '../../adapters/builder/served-domains.ts';
import { equalsSecret } from '../../adapters/crypto/equals-secret.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { monitorServiceSection } from '../../adapters/env/monitor-service.ts';
import type { ReadSection } from '../../adapters/env.ts';
import { createCodeLogin } from '../../adapters/idp/code-login.ts';
import { createAuditTrail } from '../../adapters/mongo/audit/audit-trail.ts';
import { followDatabaseClock } from '../../adapters/mongo/database-clock.ts';
import { createIncidentStore } from '../../adapters/mongo/incidents/incidents.ts';
import { createMonitorIndexes } from '../../adapters/mongo/monitor-database.ts';
import { createBurnStore } from '../../adapters/mongo/monitors/burns.ts';
import { createCheckSecretStore } from '../../adapters/mongo/monitors/check-secrets.ts';
import { createConditionStore } from '../../adapters/mongo/monitors/conditions.ts';
import { createHeartbeatStore } from '../../adapters/mongo/monitors/heartbeats.ts';
import { createMonitorStore } from '../../adapters/mongo/monitors/monitors.ts';
import { createRollUpStore } from '../../adapters/mongo/monitors/roll-ups.ts';
import { createChannelStore } from '../../adapters/mongo/notifications/channels.ts';
import { createDeliveryStore } from '../../adapters/mongo/notifications/deliveries.ts';
import { createEscalationStore } from '../../adapters/mongo/notifications/escalations.ts';
import { createMailCounts } from '../../adapters/mongo/notifications/mail-counts.ts';
import { createNoticeStore } from '../../adapters/mongo/notifications/notices.ts';
import { createSubscriberStore } from '../../adapters/mongo/notifications/subscribers.ts';
import { createChannelLinks } from '../../adapters/notifications/channel-links.ts';
import { createWebhookAddressCheck } from '../../adapters/notifications/webhook-address.ts';
import { createPublicChangelogs } from '../../adapters/registry/public-changelogs.ts';
import { createRegisteredTargets } from '../../adapters/registry/registered-targets.ts';
import { createServiceDeploys } from '../../adapters/registry/service-deploys.ts';
import { createSnapshotFiles, SNAPSHOT_FOLDER } from '../../adapters/status-page/snapshot-files.ts';
import { createDeliveryCommands } from '../../adapters/temporal/delivery-commands.ts';
import { createIncidentCommands } from '../../adapters/temporal/incident-commands.ts';
import type { Clock } from '../../domain/clock.ts';
import { checkSecretContext } from '../../domain/monitors/check-secret.ts';
import { platformHosts } from '../../domain/monitors/platform-host.ts';
import { createMonitorHistory } from '../../domain/monitors/read-history.ts';
import { createOutbox } from '../../domain/notifications/create-outbox.ts';
import {
  formatWebhookSecret,
  WEBHOOK_SECRET_BYTES,
  webhookSecretContext,
} from '../../domain/notifications/webhook-secret.ts';
import { withSubscribers } from '../../domain/notifications/with-subscribers.ts';
import { SIGN_IN_CALLBACK, serviceRow } from '../../domain/services.ts';
import { createAnnounceMaintenance } from '../../domain/status-page/announce-maintenance.ts';
import { createOrgLimit } from '../http/org-limit.ts';
import { MOST_CHANGES } from '../incidents/change-routes.ts';
import { createMonitorApp, type MonitorDeps } from '../monitor-app.ts';
import { MOST_ADDED } from '../monitors/create-route.ts';
import { createMonitorGate } from '../monitors/monitor-callers.ts';
import { recordChange } from '../monitors/record-change.ts';
import { defineService, type ServiceParts } from '../service-definition.ts';
import { keepSnapshots } from '../status-page/keep-snapshots.ts';
import { createStatusReader } from '../status-page/status-reader.ts';
import { toldToLedger } from './told-to-ledger.ts';

type Parts = ServiceParts<ReadSection<typeof monitorServiceSection>, 'monitor'>;

/** The uptime monitor. Checks run in the worker: this process shows what they found, and answers without Temporal. */
export const monitor = defineService({
  name: 'monitor',
  section: monitorServiceSection,
  needs: ['mongo'],
  requestsPerMinute: 12_000,
  async compose(parts) {
    const { env, settings, app, log, opened, publicUrl, stopping } = parts;
    const { platformOrg, internalKey } = settings;
    const { db } = parts.mongo;
    await createMonitorIndexes(db);
    const onFailure = (err: unknown) => log.warn({ err }, "the database's time cannot be read");
    // Results are by the database's time: what is stale is decided by the same clock.
    const { now } = opened.adopt(await followDatabaseClock({ db, onFailure }), ({ close }) => close());
    const deps = monitorDeps(parts, now);
    const reader = createStatusReader({ ...deps, log });
    void keepSnapshots({ ...deps, log }, reader, stopping);
    const key = env.MONITOR_INTERNAL_KEY ?? internalKey;
    const authenticate = createMonitorGate({ authenticate: app.authenticate, key, platformOrg, equalsSecret });
    const pages = {
      login: signIn(settings.urls.idp, publicUrl),
      secureCookies: publicUrl.startsWith('https:'),
      origin: new URL(publicUrl).origin,
    };
    return { app: createMonitorApp(deps, { ...app, authenticate, reader, pages }) };
  },
});

function monitorDeps(parts: Parts, now: Clock): MonitorDeps {
  const { env, settings, publicUrl, temporal } = parts;
  const { db } = parts.mongo;
  const { internalKey } = settings;
  const { registry, builder } = settings.urls;
  const audit = toldToLedger(createAuditTrail({ db, now }), parts, { now, namespace: 'monitor' });
  const [channels, deliveries] = [createChannelStore({ db }), createDeliveryStore({ db })];
  const subscribers = createSubscriberStore({ db });
  const deliveryCommands = createDeliveryCommands(temporal());
  const outbox = createOutbox({
    ...{ channels: withSubscribers(channels, subscribers), deliveries },
    ...{ notices: createNoticeStore({ db }), commands: deliveryCommands, now },
  });
  const pages = {
    ...{ platformOrg: settings.platformOrg, platformName: env.PLATFORM_NAME },
    statusUrl: env.STATUS_URL ?? publicUrl,
  };
  return {
    monitors: createMonitorStore({ db }),
    conditions: createConditionStore({ db }),
    history: createMonitorHistory({ rollUps: createRollUpStore({ db }) }),
    burns: createBurnStore({ db }),
    heartbeats: createHeartbeatStore({ db }),
    checkSecrets: createCheckSecretStore({ db }),
    targets: registry === undefined ? null : createRegisteredTargets({ url: registry, internalKey }),
    domains: builder === undefined ? null : createServedDomains({ url: builder, internalKey }),
    incidents: createIncidentStore({ db }),
    incidentCommands: createIncidentCommands(temporal()),
    addLimit: createOrgLimit(MOST_ADDED, 'new monitors'),
    changeLimit: createOrgLimit(MOST_CHANGES, 'changes of incidents'),
    ...{ channels, deliveries, deliveryCommands, subscribers, outbox },
    escalations: createEscalationStore({ db }),
    announceMaintenance: createAnnounceMaintenance({ ...pages, outbox }),
    links: createChannelLinks(env.MONITOR_ENCRYPTION_KEY),
    mailCounts: createMailCounts({ db }),
    checkWebhookAddress: createWebhookAddressCheck(env.WEBHOOK_TRUSTED_ORIGINS, settings.platformOrg),
    ...sealedSecrets(env.MONITOR_ENCRYPTION_KEY),
    deploys: registry === undefined ? null : createServiceDeploys({ url: registry, internalKey }),
    changelogs: registry === undefined ? null : createPublicChangelogs({ url: registry }),
    snapshots: createSnapshotFiles({ folder: join(env.DATA_DIR, SNAPSHOT_FOLDER) }),
    audit,
    recordChange: (context, caller, facts) => recordChange({ audit, newId, now }, context, caller, facts),
    newHeartbeatToken: () => randomBytes(32).toString('base64url'),
    isPlatformHost: platformHosts(env.PLATFORM_DOMAIN),
    ...{ ...pages, publicUrl, sendsMail: env.SMTP_URL !== undefined },
    ...{ newId, now },
  };
}

/** Secrets that the worker opens when it sends. */
function sealedSecrets(
  keys: readonly Uint8Array[],
): Pick<MonitorDeps, 'newWebhookSecret' | 'sealForChannel' | 'sealForChecks'> {
  const cipher = createSecretCipher(keys, 'MONITOR_ENCRYPTION_KEY');
  const sealForChannel = (channelId: string, text: string) => cipher.seal(text, webhookSecretContext(channelId));
  return {
    sealForChannel,
    sealForChecks: (org, secret, value) => cipher.seal(value, checkSecretContext(org, secret)),
    newWebhookSecret: (channelId) => {
      const secret = formatWebhookSecret(randomBytes(WEBHOOK_SECRET_BYTES).toString('base64'));
      return { secret, sealed: sealForChannel(channelId, secret) };
    },
  };
}

/** People sign in where their tokens come from. */
function signIn(issuer: string | undefined, publicUrl: string) {
  if (issuer === undefined) return null;
  const clientId = serviceRow('monitor').pagesClient;
  return createCodeLogin({ issuer, clientId, redirectUri: publicUrl + SIGN_IN_CALLBACK });
}
