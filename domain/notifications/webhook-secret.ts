import type { SecretContext } from '../config/ports.ts';

/** Where the secret of a webhook belongs: it opens for its own channel only. */
export function webhookSecretContext(channelId: string): SecretContext {
  return { service: 'notifications', key: channelId };
}

const PREFIX = 'whsec_';
/** Standard Webhooks asks for 24 to 64. */
export const WEBHOOK_SECRET_BYTES = 32;

/** A secret as receivers keep it. @param bytes {@link WEBHOOK_SECRET_BYTES} random ones, in base64 */
export function formatWebhookSecret(bytes: string): string {
  return PREFIX + bytes;
}

/** The bytes of a secret, in base64. */
export function webhookKeyOf(secret: string): string {
  return secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
}
