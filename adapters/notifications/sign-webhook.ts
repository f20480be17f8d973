import { createHmac } from 'node:crypto';
import { webhookKeyOf } from '../../domain/notifications/webhook-secret.ts';

export interface WebhookMessage {
  /** The same for each attempt. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * The headers of Standard Webhooks 1.0: a signature by each secret, so that a receiver may replace its own.
 * @param secrets `whsec_` and base64
 */
export function webhookHeaders(
  { id, timestamp, body }: WebhookMessage,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(webhookKeyOf(secret), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
