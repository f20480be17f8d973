import { z } from 'zod';
import { mailSection } from './identity.ts';
import { baseUrl, commaList, encryptionKeys, secret, text } from './variable-kinds.ts';

const OF_ORG = /^(?:(?<org>[a-z0-9][a-z0-9-]{0,62}|\*)=)?(?<origin>.+)$/;
const trustedOrigin = z
  .string()
  .transform((written) => {
    const { org = null, origin = '' } = OF_ORG.exec(written)?.groups ?? {};
    return { org, origin };
  })
  .refine(
    ({ origin }) => baseUrl.safeParse(origin).success && URL.parse(origin)?.origin === origin,
    'origins, such as http://hooks.internal:8080, acme=http://hooks.internal:8080 or *=http://hooks.internal:8080',
  );

/** What the worker that delivers webhooks reads, and the API that takes their addresses. */
export const webhookSection = {
  /** Origins of receivers on the own network, which may have private addresses and plain http. */
  WEBHOOK_TRUSTED_ORIGINS: commaList.pipe(z.array(trustedOrigin)).default([]),
};

/** What the worker reads that delivers notices. */
export const notificationsWorkerSection = {
  ...mailSection,
  /** The keys of webhooks' secrets: the first seals, all open. Without them no notice is delivered by this worker. */
  MONITOR_ENCRYPTION_KEY: secret(encryptionKeys.optional()),
  PLATFORM_NAME: text.max(60).default('Fairlead'),
  /** Where links in mails lead; the address of the uptime monitor by default. */
  STATUS_URL: baseUrl.optional(),
  ...webhookSection,
};
