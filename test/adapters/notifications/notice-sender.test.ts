import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import { createGuardedFetch } from '../../../adapters/http-fetch/guarded-fetch.ts';
import { createSmtpSender } from '../../../adapters/mail/smtp-sender.ts';
import { createChannelLinks } from '../../../adapters/notifications/channel-links.ts';
import { createNoticeSender } from '../../../adapters/notifications/notice-sender.ts';
import { channelLink, STOP_PATH } from '../../../domain/notifications/channel-address.ts';
import type { Channel, NotificationKind } from '../../../domain/notifications/notification.ts';
import { formatWebhookSecret, webhookSecretContext } from '../../../domain/notifications/webhook-secret.ts';
import { channelRecord, deliveryRecord } from '../../ports/notifications/notification-stores.ts';
import { header, startSmtpPeer, textPart } from '../mail/smtp-peer.ts';

const cipher = createSecretCipher([randomBytes(32)], 'MONITOR_ENCRYPTION_KEY');
const NOW = new Date('2026-11-01T10:00:00Z');
const NEVER = new AbortController().signal;
const links = createChannelLinks([randomBytes(32)]);
const MONITOR = 'https://monitor.example.com';
const PARTS = { cipher, links, linksUrl: MONITOR, now: () => NOW, platformName: 'Acme Platform' };

/** A receiver of webhooks that keeps what it gets. */
const received: { readonly headers: NodeJS.Dict<string | string[]>; readonly body: string }[] = [];
let status = 204;
let answerBody: (response: ServerResponse) => void = (response) => response.end();
const receiver = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  received.push({ headers: request.headers, body });
  response.writeHead(status);
  answerBody(response);
});
let origin = '';
before(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
after(() => receiver.close().closeAllConnections());

function sender(trustedOrigins: readonly string[]) {
  const fetch = createGuardedFetch({ trustedOrigins, timeoutMs: 30_000, mostBytes: 1_024 });
  return createNoticeSender({ ...PARTS, mail: null, fetchFor: () => fetch });
}

function webhook(url: string, secrets: readonly string[]): Channel {
  const { id, ...rest } = channelRecord();
  const sealed = secrets.map((secret) => cipher.seal(secret, webhookSecretContext(id)));
  return { id, ...rest, target: { kind: 'webhook', url, secrets: sealed } };
}

test('a webhook is signed by each secret as Standard Webhooks says, and a repeat has the same id', async () => {
  const keys = [randomBytes(32), randomBytes(32)];
  const channel = webhook(
    `${origin}/hook`,
    keys.map((key) => formatWebhookSecret(key.toString('base64'))),
  );
  const delivery = deliveryRecord();
  await sender([origin]).send(channel, delivery, NEVER);
  await sender([origin]).send(channel, { ...delivery, attempts: 1 }, NEVER);
  const [first, second] = received.splice(0);
  assert.ok(first !== undefined);
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = first.headers;
  assert.equal(timestamp, String(NOW.getTime() / 1_000));
  assert.deepEqual(
    String(signatures).split(' '),
    keys.map((key) => {
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${first.body}`).digest('base64')}`;
    }),
  );
  assert.equal(second?.headers['webhook-id'], id);
  const { type, data } = JSON.parse(first.body);
  assert.deepEqual([type, data.subject, data.incidentId], ['incident.opened', 'Down: shop', 'inc_1']);
});

test('a receiver that fails is tried again, one that is gone is not', async () => {
  const channel = webhook(`${origin}/hook`, ['whsec_AAAA']);
  status = 500;
  await assert.rejects(sender([origin]).send(channel, deliveryRecord(), NEVER), {
    code: 'UNAVAILABLE',
    retryable: true,
  });
  status = 410;
  await assert.rejects(sender([origin]).send(channel, deliveryRecord(), NEVER), {
    code: 'UNAVAILABLE',
    retryable: false,
  });
  status = 204;
});

test('the status of an answer decides, however long its body is, whether it ends or can be read', async () => {
  const channel = webhook(`${origin}/hook`, ['whsec_AAAA']);
  const bodies: readonly (typeof answerBody)[] = [
    (response) => void response.end('x'.repeat(100_000)),
    (response) => void response.write('it never ends'),
    (response) => void response.write('it is cut off', () => response.socket?.destroy()),
  ];
  for (const body of bodies) {
    answerBody = body;
    status = 200;
    await sender([origin]).send(channel, deliveryRecord(), NEVER);
    status = 500;
    await assert.rejects(sender([origin]).send(channel, deliveryRecord(), NEVER), { code: 'UNAVAILABLE' });
  }
  answerBody = (response) => void response.end();
  status = 204;
});

test('no webhook goes to an address of this machine or network, whatever its form', async () => {
  received.length = 0;
  const port = new URL(origin).port;
  for (const host of ['127.0.0.1', '[::1]', '0x7f000001', '2130706433', '169.254.169.254', '10.0.0.1', 'localhost']) {
    const channel = webhook(`https://${host}:${port}/hook`, ['whsec_AAAA']);
    await assert.rejects(sender([]).send(channel, deliveryRecord(), NEVER), { code: 'SOURCE_REFUSED' }, host);
  }
  await assert.rejects(sender([]).send(webhook(`${origin}/hook`, []), deliveryRecord(), NEVER), {
    code: 'SOURCE_REFUSED',
  });
  assert.equal(received.length, 0);
});

test('the secret of one webhook does not open for another', async () => {
  const { target } = webhook(`${origin}/hook`, ['whsec_AAAA']);
  assert.throws(() => sender([origin]).send(channelRecord({ target }), deliveryRecord(), NEVER), { code: 'INTERNAL' });
});

test('mail bears no header and no markup that a name brought in, and a repeat has the same Message-ID', async () => {
  const peer = await startSmtpPeer({ hideSTARTTLS: true });
  const mail = createSmtpSender({ url: peer.url, from: 'no-reply@fairlead.example' });
  const fetch = createGuardedFetch({ timeoutMs: 1_000, mostBytes: 1 });
  const sending = createNoticeSender({ ...PARTS, mail, fetchFor: () => fetch });
  const delivery = deliveryRecord();
  const hostile = {
    ...delivery,
    notification: {
      ...delivery.notification,
      subject: 'Down: a\r\nBcc: eve@example.com',
      text: '<script>alert(1)</script>',
    },
  };
  await sending.send(channelRecord(), hostile, NEVER);
  await sending.send(channelRecord(), hostile, NEVER);
  mail.close();
  await peer.stop();
  const [first, second] = peer.received;
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual(first.recipients, ['ops@example.com']);
  assert.match(header(first, 'Subject'), /^Down: a\s+Bcc: eve@example\.com$/);
  assert.equal(
    first.headers.some((line) => line.startsWith('Bcc')),
    false,
  );
  assert.match(textPart(first), /<script>/);
  assert.equal(first.body.split('<script>').length, 2);
  assert.equal(header(first, 'Message-ID'), header(second, 'Message-ID'));
});

/** Sends mail to a real server. @returns what it took */
async function mailed(channel: Channel, kind: NotificationKind, monitorUrl = MONITOR) {
  const peer = await startSmtpPeer({ hideSTARTTLS: true });
  const mail = createSmtpSender({ url: peer.url, from: 'no-reply@fairlead.example' });
  const fetch = createGuardedFetch({ timeoutMs: 1_000, mostBytes: 1 });
  const delivery = deliveryRecord();
  try {
    const sent = { ...delivery, notification: { ...delivery.notification, kind } };
    await createNoticeSender({ ...PARTS, mail, fetchFor: () => fetch, linksUrl: monitorUrl }).send(
      channel,
      sent,
      NEVER,
    );
  } finally {
    mail.close();
    await peer.stop();
  }
  const [received] = peer.received;
  assert.ok(received !== undefined);
  return received;
}

test('each mail of an alert is stopped with one click, as RFC 8058 says, and over http by a page', async () => {
  const channel = channelRecord();
  const url = channelLink(MONITOR, STOP_PATH, channel.id, links.stopToken(channel.id));
  const received = await mailed(channel, 'incident.opened');
  assert.equal(header(received, 'List-Unsubscribe'), `<${url}>`);
  assert.equal(header(received, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click');
  assert.ok(textPart(received).includes(`Stop these alerts: ${url}`), textPart(received));
  const plain = await mailed(channel, 'incident.opened', 'http://localhost:3007');
  assert.match(header(plain, 'List-Unsubscribe'), /^<http:\/\/localhost:3007\/alerts\/stop\?/);
  assert.ok(!plain.headers.some((line) => line.startsWith('List-Unsubscribe-Post')));
});

test('the mail that asks an address has a link whose token is kept as a hash, the same at each attempt', async () => {
  const id = channelRecord().id;
  const made = links.newConfirmation(id);
  const confirmation = { ...made, expiresAt: new Date(NOW.getTime() + 1_000) };
  const channel = channelRecord({ id, state: 'unconfirmed', confirmation });
  const tokens = [];
  for (let times = 0; times < 2; times += 1) {
    const received = await mailed(channel, 'channel.confirm');
    const link = /Confirm: (\S+)/.exec(textPart(received))?.[1] ?? '';
    tokens.push(new URL(link).searchParams.get('token') ?? '');
    assert.ok(!received.headers.some((line) => line.startsWith('List-Unsubscribe')));
  }
  assert.equal(tokens[0], tokens[1]);
  assert.equal(links.hashOf(tokens[0] ?? ''), made.hash);
  const late = { ...channel, confirmation: { ...confirmation, expiresAt: NOW } };
  for (const spent of [late, { ...channel, confirmation: null }]) {
    await assert.rejects(mailed(spent, 'channel.confirm'), { code: 'LINK_INVALID' });
  }
});

test('links go on while the key is rotated, and are of one channel and one purpose', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)];
  const before = createChannelLinks([older]);
  const during = createChannelLinks([newer, older]);
  const confirmation = before.newConfirmation('chn_1');
  const token = during.confirmToken('chn_1', confirmation) ?? '';
  assert.equal(during.hashOf(token), confirmation.hash);
  assert.equal(createChannelLinks([newer]).confirmToken('chn_1', confirmation), null);
  assert.equal(during.confirmToken('chn_2', confirmation), null);
  assert.equal(during.isStopToken('chn_1', before.stopToken('chn_1')), true);
  assert.equal(during.isStopToken('chn_2', before.stopToken('chn_1')), false);
  assert.equal(during.isStopToken('chn_1', token), false);
});

test('without a mail server a mail waits, and says what is missing', async () => {
  await assert.rejects(async () => sender([]).send(channelRecord(), deliveryRecord(), NEVER), /SMTP_URL/);
});
