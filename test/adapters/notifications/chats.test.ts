import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import { createGuardedFetch } from '../../../adapters/http-fetch/guarded-fetch.ts';
import { createChannelLinks } from '../../../adapters/notifications/channel-links.ts';
import { createNoticeSender } from '../../../adapters/notifications/notice-sender.ts';
import { CHAT_SERVICES, type ChatService } from '../../../domain/notifications/chat-services.ts';
import type { ChatSettings } from '../../../domain/notifications/chat-templates.ts';
import type { Notification } from '../../../domain/notifications/notification.ts';
import { webhookSecretContext } from '../../../domain/notifications/webhook-secret.ts';
import { channelRecord, deliveryRecord } from '../../ports/notifications/notification-stores.ts';

const cipher = createSecretCipher([randomBytes(32)], 'MONITOR_ENCRYPTION_KEY');
const NEVER = new AbortController().signal;
const SECRET = 's3cret-of-a-chat';

describe('a notice to a chat', () => {
  const received: { path: string; authorization: string | undefined; body: Record<string, unknown> }[] = [];
  let status = 200;
  let origin = '';
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { url: path = '', headers } = request;
    received.push({ path, authorization: headers.authorization, body: JSON.parse(body) });
    response.writeHead(status).end('{"ok":false}');
  });
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close().closeAllConnections());
  beforeEach(() => {
    received.length = 0;
    status = 200;
  });

  const hostile = 'a <!channel> @everyone [link](https://evil.example) *b*';
  const notice = (changes: Partial<Notification> = {}): Notification => ({
    ...deliveryRecord().notification,
    ...{ subject: `Down: ${hostile}`, text: `${hostile} is down.\nWhat was seen: 503` },
    ...changes,
  });
  async function send(service: ChatService, settings: Partial<ChatSettings>, notification = notice()): Promise<void> {
    const channel = channelRecord();
    const text = JSON.stringify({ address: `${origin}/${SECRET}`, token: null, room: null, ...settings });
    const sealed = cipher.seal(text, webhookSecretContext(channel.id));
    const fetch = createGuardedFetch({ trustedOrigins: [origin], timeoutMs: 20_000, mostBytes: 1_024 });
    const sender = createNoticeSender({
      ...{ cipher, links: createChannelLinks([randomBytes(32)]), linksUrl: 'https://monitor.example.com', mail: null },
      ...{ now: () => new Date(), platformName: 'Fairlead', fetchFor: () => fetch },
    });
    const target = { kind: 'chat', service, host: new URL(origin).host, settings: sealed } as const;
    await sender.send({ ...channel, target }, deliveryRecord({ notification }), NEVER);
  }
  const only = () => {
    assert.equal(received.length, 1);
    return received[0] ?? { path: '', authorization: undefined, body: {} };
  };

  it('of Slack has its words, and no mention or format of a name', async () => {
    await send('slack', {});
    const { path, body } = only();
    assert.equal(path, `/${SECRET}`);
    assert.match(String(body.text), /^\*Down: a &lt;!channel&gt; @everyone/);
    assert.match(String(body.text), /What was seen: 503$/);
  });

  it('of Discord mentions nobody and makes no link', async () => {
    await send('discord', {});
    const { body } = only();
    assert.deepEqual(body.allowed_mentions, { parse: [] });
    const [embed] = body.embeds as { title: string; description: string; color: number }[];
    assert.match(embed?.title ?? '', /\\@everyone \\\[link\\\]\\\(https:\/\/evil\.example\\\) \\\*b\\\*/);
    assert.match(embed?.description ?? '', /503$/);
    await send('discord', {}, notice({ subject: 'x'.repeat(400), text: 'y'.repeat(5_000) }));
    const [long] = (received[1]?.body.embeds ?? []) as { title: string; description: string }[];
    assert.deepEqual([long?.title.length, long?.description.length], [256, 4_096]);
  });

  it('of Teams is a card of plain text', async () => {
    await send('teams', {});
    const [{ content }] = only().body.attachments as [
      { content: { body: { type: string; inlines: { text: string }[] }[] } },
    ];
    assert.deepEqual(
      content.body.map(({ type, inlines }) => [type, inlines[0]?.text]),
      [
        ['RichTextBlock', `Down: ${hostile}`],
        ['RichTextBlock', `${hostile} is down.`],
        ['RichTextBlock', 'What was seen: 503'],
      ],
    );
  });

  it('of Telegram goes to the chat by the token of the bot, as plain text', async () => {
    await send('telegram', { address: origin, token: `1:${SECRET}`, room: '-100' });
    const { path, body } = only();
    assert.equal(path, `/bot1:${SECRET}/sendMessage`);
    assert.deepEqual([body.chat_id, body.parse_mode], ['-100', undefined]);
    assert.match(String(body.text), /^Down: a <!channel>/);
  });

  it('of ntfy goes to the topic, as urgent as it is, by a token where there is one', async () => {
    await send('ntfy', { address: `${origin}/base/topic`, token: SECRET });
    const { path, authorization, body } = only();
    assert.deepEqual([path, authorization], ['/base/', `Bearer ${SECRET}`]);
    assert.deepEqual([body.topic, body.priority, body.title], ['topic', 5, `Down: ${hostile}`]);
  });

  it('of PagerDuty begins, acknowledges and ends one incident; of a group it begins one', async () => {
    const settings = { address: `${origin}/v2/enqueue`, token: SECRET };
    for (const kind of ['incident.opened', 'incident.acknowledged', 'incident.resolved'] as const) {
      await send('pagerduty', settings, notice({ kind, id: `inc_1/${kind}` }));
    }
    const group = { id: 'group/1', data: { count: 20, incidentIds: ['inc_1'] } };
    for (const kind of ['incident.opened', 'incident.resolved'] as const) {
      await send('pagerduty', settings, notice({ ...group, kind }));
    }
    assert.deepEqual(
      received.map(({ body }) => [body.routing_key, body.event_action, body.dedup_key]),
      [
        [SECRET, 'trigger', 'inc_1'],
        [SECRET, 'acknowledge', 'inc_1'],
        [SECRET, 'resolve', 'inc_1'],
        [SECRET, 'trigger', 'group/1'],
      ],
    );
  });

  it('of PagerDuty opens no incident for a channel that somebody stopped', async () => {
    const settings = { address: `${origin}/v2/enqueue`, token: SECRET };
    await send('pagerduty', settings, notice({ kind: 'channel.stopped', data: {} }));
    assert.deepEqual(received, []);
  });

  for (const service of CHAT_SERVICES) {
    it(`to ${service} that is refused is tried again, and its error has no secret`, async () => {
      status = 500;
      const settings = { token: SECRET, room: SECRET };
      await assert.rejects(send(service, settings), (error: Error & { code: string; retryable: boolean }) => {
        assert.deepEqual([error.code, error.retryable], ['UNAVAILABLE', true]);
        assert.ok(!`${error.stack} ${JSON.stringify(error)}`.includes(SECRET), error.stack);
        return true;
      });
      status = 410;
      await assert.rejects(send(service, settings), { code: 'UNAVAILABLE', retryable: false });
      await assert.rejects(send(service, { ...settings, address: `https://127.0.0.1:1/${SECRET}` }), (error: Error) => {
        assert.ok(!String(error.stack).includes(SECRET), error.stack);
        return true;
      });
    });
  }
});
