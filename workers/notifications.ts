import { DELIVERY_SLOTS } from '../activities/notifications/delivery-places.ts';
import { createNotificationsActivities } from '../activities/notifications/index.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../adapters/crypto/secret-cipher.ts';
import { notificationsWorkerSection } from '../adapters/env/notifications.ts';
import type { ReadSection } from '../adapters/env.ts';
import { createGuardedFetch, type GuardedFetch } from '../adapters/http-fetch/guarded-fetch.ts';
import { createMonitorIndexes } from '../adapters/mongo/monitor-database.ts';
import { createMonitorStore } from '../adapters/mongo/monitors/monitors.ts';
import { createChannelStore } from '../adapters/mongo/notifications/channels.ts';
import { countUnderWay, createDeliveryStore } from '../adapters/mongo/notifications/deliveries.ts';
import { createMailCounts } from '../adapters/mongo/notifications/mail-counts.ts';
import { createMailingStore } from '../adapters/mongo/notifications/mailings.ts';
import { createNoticeStore } from '../adapters/mongo/notifications/notices.ts';
import { createSubscriberStore } from '../adapters/mongo/notifications/subscribers.ts';
import { createChannelLinks } from '../adapters/notifications/channel-links.ts';
import { createNoticeSender, type NoticeSenderDeps } from '../adapters/notifications/notice-sender.ts';
import { createSubscriberMailer } from '../adapters/notifications/subscriber-mailer.ts';
import { createResolverLookup } from '../adapters/public-dns/resolver-lookup.ts';
import { createDeliveryCommands } from '../adapters/temporal/delivery-commands.ts';
import { originsTrustedFor, type TrustedOrigin } from '../domain/notifications/trusted-origins.ts';
import { createShowsMonitor } from '../domain/status-page/shows-monitor.ts';
import { defineModule, type WorkerParts } from './module.ts';

const now = () => new Date();
/** The status of an answer says whether it was taken: of what else it has, so much is passed over, and the rest is cut off. */
const MOST_ANSWER_BYTES = 16 * 1024;
const WEBHOOK_TIMEOUT_MS = 20_000;

/** Deliveries of notices. Receivers may be slow: they take no slot from anything else. */
export const notifications = defineModule({
  name: 'notifications',
  section: notificationsWorkerSection,
  schedules: [],
  queue: 'own',
  slots: () => DELIVERY_SLOTS,
  async compose({ env, settings, connect, client, opened, metrics }) {
    const { MONITOR_ENCRYPTION_KEY: keys, PLATFORM_NAME: platformName, WEBHOOK_TRUSTED_ORIGINS: listed } = env;
    const monitorUrl = settings.urls.monitor;
    if (keys === undefined || monitorUrl === undefined) return null;
    const { db } = await connect('monitor');
    await createMonitorIndexes(db);
    metrics?.outbox('notices', () => countUnderWay(db));
    const links = createChannelLinks(keys);
    const linksUrl = env.STATUS_URL ?? monitorUrl;
    return createNotificationsActivities({
      channels: createChannelStore({ db }),
      deliveries: createDeliveryStore({ db }),
      notices: createNoticeStore({ db }),
      commands: createDeliveryCommands(client),
      mailCounts: createMailCounts({ db }),
      sender: createNoticeSender({
        mail: await openMail({ env, opened }),
        fetchFor: createFetchFor(listed, settings.platformOrg),
        cipher: createSecretCipher(keys, 'MONITOR_ENCRYPTION_KEY'),
        ...{ links, linksUrl, now, platformName },
      }),
      subscribers: createSubscriberStore({ db }),
      mailings: createMailingStore({ db }),
      showsMonitor: createShowsMonitor(createMonitorStore({ db })),
      // Connections of their own: no alert waits behind mails to thousands.
      mailer: createSubscriberMailer({
        mail: await openMail({ env, opened }),
        ...{ links, pageUrl: linksUrl, now, platformName },
      }),
      ...{ links, newId, now },
    });
  },
});

/** One for each set of origins that are trusted; most orgs have none. Names are resolved beside the system's few threads. */
function createFetchFor(listed: readonly TrustedOrigin[], platformOrg: string): NoticeSenderDeps['fetchFor'] {
  const lookup = createResolverLookup([]);
  const made = new Map<string, GuardedFetch>();
  return (org) => {
    const trustedOrigins = originsTrustedFor(listed, org, platformOrg);
    const key = trustedOrigins.join(' ');
    const known = made.get(key);
    if (known !== undefined) return known;
    const options = { lookup, trustedOrigins, timeoutMs: WEBHOOK_TIMEOUT_MS, mostBytes: MOST_ANSWER_BYTES };
    const fetch = createGuardedFetch(options);
    made.set(key, fetch);
    return fetch;
  };
}

type MailParts = Pick<WorkerParts<ReadSection<typeof notificationsWorkerSection>>, 'env' | 'opened'>;

async function openMail({ env, opened }: MailParts): Promise<NoticeSenderDeps['mail']> {
  if (env.SMTP_URL === undefined) return null;
  const { createSmtpSender } = await import('../adapters/mail/smtp-sender.ts');
  const options = { url: env.SMTP_URL, from: env.MAIL_FROM, allowPlaintext: env.SMTP_ALLOW_PLAINTEXT };
  return opened.adopt(createSmtpSender(options), (sender) => sender.close());
}
