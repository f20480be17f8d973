import { z } from 'zod';
import { mailSection } from './identity.ts';
import { baseUrl, commaList, encryptionKeys, secret, text } from './variable-kinds.ts';

/** What the worker that delivers webhooks reads, and the API that takes their addresses. */
export const webhookSection = {
  /** Origins of receivers on the own network, which may have private addresses and plain http. */
  WEBHOOK_TRUSTED_ORIGINS: commaList
    .pipe(
      z.array(baseUrl.refine((url) => URL.parse(url)?.origin === url, 'origins, such as http://hooks.internal:8080')),
    )
    .default([]),
};

/** What the worker reads that delivers notices. */
export const notificationsWorkerSection = {
  ...mailSection,
  /** The keys of webhooks' secrets: the first seals, all open. Without them no notice is delivered by this worker. */
  MONITOR_ENCRYPTION_KEY: secret(encryptionKeys.optional()),
  PLATFORM_NAME: text.max(60).default('Fairlead'),
  ...webhookSection,
};
