import { z } from 'zod';
import { dataSection } from './platform.ts';
import { clientSecret, commaList, encryptionKeys, flag, secret, text } from './variable-kinds.ts';

/** The mail server, which several modules send by. */
export const mailSection = {
  /** `smtp://` or `smtps://` address of the mail server; without it the identity provider captures mail in its outbox. */
  SMTP_URL: secret(z.url({ protocol: /^smtps?$/ }).optional()),
  /** Sends to a mail server that offers no encryption: for one on the own network only. */
  SMTP_ALLOW_PLAINTEXT: flag.default(false),
  MAIL_FROM: z.email().default('fairlead@localhost.localdomain'),
};

/** What the identity provider reads besides what every service reads. */
export const identitySection = {
  ...dataSection,
  IDP_ENCRYPTION_KEY: secret(encryptionKeys),
  PLATFORM_NAME: text.max(60).default('Fairlead'),
  /** Audiences outside the installation that service tokens may be made for. */
  IDP_EXTERNAL_AUDIENCES: commaList.default([]),
  ...mailSection,
  /** Of the builder's client, by which the builder gets tokens for its own calls; without it the builder gets none. */
  BUILDER_CLIENT_SECRET: clientSecret,
};
