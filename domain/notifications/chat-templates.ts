import type { ChatService } from './chat-services.ts';
import { NOTIFICATION_KINDS, type Notification } from './notification.ts';

/** By what a chat is reached: all of it is a secret, since whoever has the address of most of them may write there. */
export interface ChatSettings {
  /** An https address. */
  readonly address: string;
  /** Of a bot, of a reader of ntfy, or the routing key of PagerDuty. */
  readonly token: string | null;
  /** The chat of Telegram. */
  readonly room: string | null;
}

export interface ChatRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** How a service is told. */
export interface ChatTemplate {
  readonly title: string;
  /** Where it is the same for everybody. */
  readonly address: string | null;
  /** Null for what the service has no place for: it is not told of that. */
  readonly request: (settings: ChatSettings, notice: Notification) => ChatRequest | null;
}

/**
 * One row a service: as its makers document incoming webhooks, the bot API of Telegram, publishing of ntfy as JSON, and Events v2
 * of PagerDuty. Names of monitors are shown as they are: nothing in them is a link, a format or a mention.
 */
export const CHAT_TEMPLATES: Readonly<Record<ChatService, ChatTemplate>> = {
  slack: {
    title: 'Slack',
    address: null,
    request: ({ address }, { subject, text }) => {
      const shown = `*${forSlack(subject)}*\n${forSlack(text)}`;
      return post(address, { text: shown, unfurl_links: false, unfurl_media: false });
    },
  },
  discord: {
    title: 'Discord',
    address: null,
    request: ({ address }, { kind, subject, text }) => {
      const color = COLOURS[NOTIFICATION_KINDS[kind].severity];
      const embed = { title: cut(forMarkdown(subject), 256), description: cut(forMarkdown(text), 4_096), color };
      return post(address, { embeds: [embed], allowed_mentions: { parse: [] } });
    },
  },
  teams: {
    title: 'Microsoft Teams',
    address: null,
    request: ({ address }, { subject, text }) => {
      const run = (line: string, weight: 'Bolder' | 'Default') => ({
        type: 'RichTextBlock',
        inlines: [{ type: 'TextRun', text: line, weight }],
      });
      const lines = text.split('\n').filter((line) => line !== '');
      const body = [run(subject, 'Bolder'), ...lines.map((line) => run(line, 'Default'))];
      const content = { type: 'AdaptiveCard', version: '1.4', body };
      const card = { contentType: 'application/vnd.microsoft.card.adaptive', content };
      return post(address, { type: 'message', attachments: [card] });
    },
  },
  telegram: {
    title: 'Telegram',
    address: 'https://api.telegram.org',
    request: ({ address, token, room }, { subject, text }) => {
      const shown = cut(`${subject}\n\n${text}`, 4_096);
      return post(`${address}/bot${token}/sendMessage`, {
        ...{ chat_id: room, text: shown, link_preview_options: { is_disabled: true } },
      });
    },
  },
  ntfy: {
    title: 'ntfy',
    address: null,
    request: ({ address, token }, { kind, subject, text }) => {
      const url = new URL(address);
      const topic =
        url.pathname
          .split('/')
          .filter((part) => part !== '')
          .at(-1) ?? '';
      url.pathname = url.pathname.replace(/[^/]*\/*$/, '');
      const priority = PRIORITIES[NOTIFICATION_KINDS[kind].severity];
      const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
      return { ...post(url.href, { topic, title: subject, message: cut(text, 4_000), priority }), headers };
    },
  },
  pagerduty: {
    title: 'PagerDuty',
    address: 'https://events.pagerduty.com/v2/enqueue',
    request: ({ address, token }, notice) => {
      const { id, kind, subject, text, data, at } = notice;
      const action = PAGER_ACTIONS[kind] ?? 'trigger';
      const incident = typeof data.incidentId === 'string' ? data.incidentId : null;
      if (action === 'none') return null;
      // What is down in a group was told under the group, of which no part ends alone.
      if (incident === null && action !== 'trigger') return null;
      const { severity } = NOTIFICATION_KINDS[kind];
      const facts = { summary: cut(subject, 1_024), source: 'fairlead', severity, timestamp: at.toISOString() };
      const payload = { ...facts, custom_details: { text } };
      return post(address, { routing_key: token, event_action: action, dedup_key: incident ?? id, payload });
    },
  },
};

const COLOURS = { critical: 0xd1242f, warning: 0xd4a72c, info: 0x2da44e } as const;
const PRIORITIES = { critical: 5, warning: 4, info: 3 } as const;
/** What a pager is told to do; to open an incident by default. */
const PAGER_ACTIONS: Readonly<Partial<Record<Notification['kind'], 'acknowledge' | 'resolve' | 'none'>>> = {
  'incident.acknowledged': 'acknowledge',
  'incident.resolved': 'resolve',
  // Nothing would close it, and no service is down.
  'channel.stopped': 'none',
};

function post(url: string, body: unknown): ChatRequest {
  return { url, headers: {}, body };
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** As Slack says: these three, and no others. What is left makes no link and no mention. */
function forSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function forMarkdown(text: string): string {
  return text.replace(/[\\*_~`|>#[\]()<@-]/g, (character) => `\\${character}`);
}
