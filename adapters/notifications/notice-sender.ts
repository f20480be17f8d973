import type { SecretCipher } from '../../domain/config/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { CONFIRM_PATH, channelLink, STOP_PATH } from '../../domain/notifications/channel-address.ts';
import { CHAT_TEMPLATES } from '../../domain/notifications/chat-templates.ts';
import type { Channel, Delivery } from '../../domain/notifications/notification.ts';
import type { ChannelLinks, NoticeSender } from '../../domain/notifications/ports.ts';
import { chatSettingsSchema } from '../../domain/notifications/schema.ts';
import { webhookSecretContext } from '../../domain/notifications/webhook-secret.ts';
import type { GuardedFetch } from '../http-fetch/guarded-fetch.ts';
import type { SmtpSender } from '../mail/smtp-sender.ts';
import { messageId, noticeMail } from './notice-mail.ts';
import { webhookHeaders } from './sign-webhook.ts';

export interface NoticeSenderDeps {
  /** Null without a mail server. */
  readonly mail: Pick<SmtpSender, 'send'> | null;
  /** What sends webhooks of the channels of an org; null: of the operators. */
  readonly fetchFor: (org: string | null) => GuardedFetch;
  readonly cipher: Pick<SecretCipher, 'open'>;
  readonly links: Pick<ChannelLinks, 'confirmToken' | 'stopToken'>;
  /** Public address of the uptime monitor, or of its status page, where links in mails lead. */
  readonly linksUrl: string;
  readonly now: () => Date;
  /** Shown as the sender of mail. */
  readonly platformName: string;
}

/** By this a receiver says that it wants no more. */
const GONE = 410;

/**
 * Sends notices by mail and as webhooks. A repeat has the same Message-ID, or the same `webhook-id`.
 * @throws as {@link NoticeSender}
 */
export function createNoticeSender(deps: NoticeSenderDeps): NoticeSender {
  return {
    send(channel, delivery, signal) {
      const { id, target } = channel;
      if (target.kind === 'mail') return sendMail(deps, channel, { to: target.to, delivery, signal });
      const fetch = deps.fetchFor(channel.org);
      if (target.kind === 'chat') return sendChat({ ...deps, fetch }, id, target, delivery, signal);
      const secrets = target.secrets.map((secret) => deps.cipher.open(secret, webhookSecretContext(id)));
      return sendWebhook({ ...deps, fetch }, { url: target.url, secrets }, delivery, signal);
    },
  };
}

interface ToSend {
  readonly to: string;
  readonly delivery: Delivery;
  readonly signal: AbortSignal;
}

async function sendMail(deps: NoticeSenderDeps, channel: Channel, { to, delivery, signal }: ToSend): Promise<void> {
  const { mail, platformName } = deps;
  if (mail === null) {
    throw new FairleadError('UNAVAILABLE', 'No mail is sent: set SMTP_URL for the worker', { retryable: true });
  }
  const { kind, subject, text } = delivery.notification;
  const link = kind === 'channel.confirm' ? confirmLink(deps, channel) : stopLink(deps, channel);
  const isAsked = kind === 'channel.confirm';
  await mail.send(
    noticeMail({ id: messageId(delivery.id), to, fromName: platformName, subject, text, link, isStop: !isAsked }),
    signal,
  );
}

/** The channel has the hash of the token alone: it is made anew for each attempt, and is the same. */
function confirmLink({ links, linksUrl, now }: NoticeSenderDeps, { id, confirmation }: Channel) {
  const isOpen = confirmation !== null && confirmation.expiresAt > now();
  const token = isOpen ? links.confirmToken(id, confirmation) : null;
  if (token === null)
    throw new FairleadError('LINK_INVALID', 'The link of this mail works no more: add the channel again');
  return { label: 'Confirm', url: channelLink(linksUrl, CONFIRM_PATH, id, token) };
}

function stopLink({ links, linksUrl }: NoticeSenderDeps, { id }: Channel) {
  return { label: 'Stop these alerts', url: channelLink(linksUrl, STOP_PATH, id, links.stopToken(id)) };
}

async function sendWebhook(
  { fetch, now }: Pick<NoticeSenderDeps, 'now'> & { readonly fetch: GuardedFetch },
  { url, secrets }: { readonly url: string; readonly secrets: readonly string[] },
  delivery: Delivery,
  signal: AbortSignal,
): Promise<void> {
  const { kind, at, subject, text, data } = delivery.notification;
  const body = JSON.stringify({ type: kind, timestamp: at.toISOString(), data: { subject, text, ...data } });
  const message = { id: messageId(delivery.id), timestamp: Math.floor(now().getTime() / 1_000), body };
  const headers = { 'content-type': 'application/json', ...webhookHeaders(message, secrets) };
  const { status } = await fetch({ method: 'POST', url, headers, body, signal, readsBody: false });
  requireTaken(status, 'The receiver of the webhook');
}

type ChatTarget = Extract<Channel['target'], { readonly kind: 'chat' }>;

async function sendChat(
  { cipher, fetch }: Pick<NoticeSenderDeps, 'cipher'> & { readonly fetch: GuardedFetch },
  channelId: string,
  { service, settings: sealed }: ChatTarget,
  { notification }: Delivery,
  signal: AbortSignal,
): Promise<void> {
  const { title, request } = CHAT_TEMPLATES[service];
  const settings = chatSettingsSchema.parse(JSON.parse(cipher.open(sealed, webhookSecretContext(channelId))));
  const asked = request(settings, notification);
  if (asked === null) return;
  const headers = { 'content-type': 'application/json', ...asked.headers };
  const body = JSON.stringify(asked.body);
  const { status } = await fetch({ method: 'POST', url: asked.url, headers, body, signal, readsBody: false });
  requireTaken(status, title);
}

/** @throws UNAVAILABLE, retryable unless the receiver wants no more */
function requireTaken(status: number, receiver: string): void {
  if (status >= 200 && status < 300) return;
  throw new FairleadError('UNAVAILABLE', `${receiver} answered ${status}`, { retryable: status !== GONE });
}
