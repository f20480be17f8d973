import { mailSection } from './identity.ts';
import { webhookSection } from './notifications.ts';
import { baseUrl, encryptionKeys, folder, internalKey, secret, text } from './variable-kinds.ts';

/** By which the uptime monitor is told of services; INTERNAL_SERVICE_KEY when it is not set. */
export const monitorKeySection = { MONITOR_INTERNAL_KEY: secret(internalKey.optional()) };

/** What the uptime monitor and the router read of the status page. */
export const statusPageSection = {
  /** Its public address, where it is not that of the monitor; the router leads this host to the monitor. */
  STATUS_URL: baseUrl.optional(),
};

/** What the worker reads that tells of incidents: what mails call the installation, and where they lead. */
export const incidentsWorkerSection = {
  PLATFORM_NAME: text.max(60).default('Fairlead'),
  ...statusPageSection,
};

/** What the uptime monitor's API reads besides what every service reads. */
export const monitorServiceSection = {
  ...monitorKeySection,
  /** The keys of stored secrets of webhooks: the first seals, all open. */
  MONITOR_ENCRYPTION_KEY: secret(encryptionKeys),
  PLATFORM_DOMAIN: text.default('localhost'),
  /** What the status page calls the installation. */
  PLATFORM_NAME: text.max(60).default('Fairlead'),
  ...statusPageSection,
  /** Pages have a form for updates by mail where it is set; the worker sends them. */
  SMTP_URL: mailSection.SMTP_URL,
  ...webhookSection,
  /** The copy of the status page is in `status-page/` below it. */
  DATA_DIR: folder.prefault('.fairlead'),
};
