import { z } from 'zod';
import { alarmsSection } from './alarms.ts';
import { commaList, secret, text } from './variable-kinds.ts';

/** Where certificates of customers' host names come from; none without a directory. */
export const certificatesSection = {
  ...alarmsSection,
  /** Of a certificate authority that speaks ACME, such as https://acme-v02.api.letsencrypt.org/directory. */
  ACME_DIRECTORY_URL: z.url({ protocol: /^https$/ }).optional(),
  /** Where the authority writes of what goes wrong. */
  ACME_EMAIL: z.email().optional(),
  /** Of an account at the authority that ours is bound to, where it asks for one. */
  ACME_EAB_KEY_ID: text.optional(),
  ACME_EAB_HMAC_KEY: secret(z.base64url().optional()),
  /** Such as `shortlived`, of those that the authority offers. */
  ACME_PROFILE: text.optional(),
  /** A file with certificates (PEM) by which an authority of one's own, and what it issues, are trusted. */
  ACME_CA_CERT_PATH: text.optional(),
  /** Resolvers that are asked for CAA records, and where names are served; those of the system without any. */
  CERTIFICATE_DNS_RESOLVERS: commaList.default([]),
};
