import { webhookSection } from './notifications.ts';
import { baseUrl, encryptionKeys, folder, internalKey, secret, text } from './variable-kinds.ts';

/** By which the uptime monitor is told of services; INTERNAL_SERVICE_KEY when it is not set. */
export const monitorKeySection = { MONITOR_INTERNAL_KEY: secret(internalKey.optional()) };

/** What the uptime monitor and the router read of the status page. */
export const statusPageSection = {
  /** Its public address, where it is not that of the monitor; the router leads this host to the monitor. */
  STATUS_URL: baseUrl.optional(),
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
  ...webhookSection,
  /** The copy of the status page is in `status-page/` below it. */
  DATA_DIR: folder.prefault('.fairlead'),
};
