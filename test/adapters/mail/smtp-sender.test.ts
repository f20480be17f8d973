import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { SMTPServerOptions } from 'smtp-server';
import { createLogger } from '../../../adapters/logging/logger.ts';
import { createSmtpSender } from '../../../adapters/mail/smtp-sender.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { MAIL, mailSenderSuite } from '../../ports/identity/mail-sender.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { header, startSmtpPeer, textPart } from './smtp-peer.ts';

const FROM = 'no-reply@fairlead.example';
const QUICK = { connectMs: 300, silenceMs: 300 };

mailSenderSuite('mail server', async () => {
  const peer = await startSmtpPeer({ hideSTARTTLS: true });
  const sender = createSmtpSender({ url: peer.url, from: FROM });
  return {
    sender,
    arrived: async () =>
      peer.received.map((mail) => ({
        id: /<(\w+)@/.exec(header(mail, 'Message-ID'))?.[1] ?? '',
        recipients: mail.recipients,
        fromName: header(mail, 'From')
          .replace(/\s*<[^<>]*>$/, '')
          .replace(/^"(.*)"$/, '$1'),
        subject: header(mail, 'Subject'),
        text: textPart(mail),
      })),
    stop: async () => {
      sender.close();
      await peer.stop();
    },
  };
});

const unavailable = (retryable: boolean) => (error: unknown) =>
  error instanceof FairleadError && error.code === 'UNAVAILABLE' && error.retryable === retryable;

test('every mail comes from the one sender, marked as automatic, with one line for each header', async () => {
  const peer = await startSmtpPeer({ hideSTARTTLS: true });
  const sender = createSmtpSender({ url: peer.url, from: FROM });
  await sender.send({ ...MAIL, fromName: 'Eve <eve@example.com>\r\nReply-To: eve@example.com' });
  sender.close();
  await peer.stop();
  const [mail] = peer.received;
  assert.ok(mail);
  assert.equal(mail.from, FROM);
  assert.match(mail.headers.find((line) => line.startsWith('From:')) ?? '', /<no-reply@fairlead\.example>$/);
  assert.equal(header(mail, 'Auto-Submitted'), 'auto-generated');
  assert.equal(mail.headers.filter((line) => /^(reply-to|bcc|cc):/i.test(line)).length, 0);
  assert.equal(mail.headers.filter((line) => /^to:/i.test(line)).length, 1);
});

test('what a server refuses for good is not tried again, what it refuses for now is', async () => {
  const answers = { '550': false, '451': true };
  for (const [code, retryable] of Object.entries(answers)) {
    const peer = await startSmtpPeer({
      hideSTARTTLS: true,
      onRcptTo: (_address, _session, done) => done(Object.assign(new Error('no'), { responseCode: Number(code) })),
    });
    const sender = createSmtpSender({ url: peer.url, from: FROM });
    await assert.rejects(sender.send(MAIL), unavailable(retryable), code);
    sender.close();
    await peer.stop();
  }
});

test('no failure carries the address of a receiver into a log, whatever the server says of it', async () => {
  const lines: string[] = [];
  const output = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
  const log = createLogger({ name: 'test', level: 'debug' }, output);
  const [local = ''] = MAIL.to.split('@');
  const words = `5.1.1 <${MAIL.to}>: ${local} has moved to other.${local}@example.net`;
  const no = (responseCode: number) => Object.assign(new Error(words), { responseCode });
  const refusals = {
    receiver: { onRcptTo: (_address, _session, done) => done(no(550)) },
    mail: {
      onData(stream, _session, done) {
        stream.resume();
        stream.on('end', () => done(no(554)));
      },
    },
    sender: { onMailFrom: (_address, _session, done) => done(no(451)) },
    connection: {
      onConnect: (_session, done) => done(Object.assign(new Error('5.3.2 closed'), { responseCode: 421 })),
    },
  } satisfies Record<string, SMTPServerOptions>;
  for (const [what, options] of Object.entries(refusals)) {
    const peer = await startSmtpPeer({ hideSTARTTLS: true, ...options });
    const sender = createSmtpSender({ url: peer.url, from: FROM });
    const failure = await sender.send(MAIL).then(
      () => assert.fail('it was taken'),
      (error: unknown) => error,
    );
    lines.length = 0;
    const { cause } = failure as FairleadError;
    log.error({ err: failure, cause }, what);
    const shown = `${lines.join('')} ${inspect(cause, { depth: null, showHidden: true })}`;
    assert.ok(!shown.includes(MAIL.to) && !shown.includes('example.net'), shown);
    if (what === 'receiver' || what === 'mail') assert.doesNotMatch(shown, new RegExp(`\\b${local}\\b`));
    assert.match(lines.join(''), /"responseCode":(550|554|451|421)/, what);
    sender.close();
    await peer.stop();
  }
});

test('a server that refuses the platform, and not the mail, is tried again: its operator can mend that', async () => {
  const no = (responseCode: number) => Object.assign(new Error('no'), { responseCode });
  const refusals = {
    login: { authOptional: false, allowInsecureAuth: true, onAuth: (_auth, _session, done) => done(no(535)) },
    connection: { onConnect: (_session, done) => done(no(554)) },
    sender: { onMailFrom: (_address, _session, done) => done(no(550)) },
  } satisfies Record<string, SMTPServerOptions>;
  for (const [what, options] of Object.entries(refusals)) {
    const peer = await startSmtpPeer({ hideSTARTTLS: true, ...options });
    const sender = createSmtpSender({ url: peer.url.replace('//', '//fairlead:old@'), from: FROM });
    await assert.rejects(sender.send(MAIL), unavailable(true), what);
    sender.close();
    await peer.stop();
  }
});

test('a server that is down, never answers, or stops answering fails the mail within its time limit', async () => {
  const away = createSmtpSender({ url: 'smtp://127.0.0.1:1', from: FROM, timeouts: QUICK });
  await assert.rejects(away.send(MAIL), unavailable(true));
  away.close();

  const sockets = new Set<Socket>();
  const mute = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const { port } = mute.address() as AddressInfo;
  const waiting = createSmtpSender({ url: `smtp://127.0.0.1:${port}`, from: FROM, timeouts: QUICK });
  await assert.rejects(waiting.send(MAIL), unavailable(true));
  waiting.close();
  for (const socket of sockets) socket.destroy();
  mute.close();

  const slow = await startSmtpPeer({ hideSTARTTLS: true, onData: (stream) => void stream.resume(), closeTimeout: 100 });
  const sender = createSmtpSender({ url: slow.url, from: FROM, timeouts: QUICK });
  await assert.rejects(sender.send(MAIL), unavailable(true));
  sender.close();
  await slow.stop();
});

test('nothing more of a mail is sent once its signal aborts, or its time is over, however little the server says now and then', async () => {
  let [open, begun] = [0, 0];
  const slow = await startSmtpPeer({
    ...{ hideSTARTTLS: true, closeTimeout: 100 },
    onConnect: (_session, done) => {
      open += 1;
      done();
    },
    onClose: () => {
      open -= 1;
    },
    onData: (stream) => {
      begun += 1;
      stream.resume();
    },
  });
  const timeouts = { connectMs: 60_000, silenceMs: 60_000 };
  const sender = createSmtpSender({ url: slow.url, from: FROM, timeouts });
  const stop = new AbortController();
  const sent = sender.send(MAIL, stop.signal);
  await waitUntil('the server has the mail', () => begun === 1);
  stop.abort();
  await assert.rejects(sent, unavailable(true));
  await waitUntil('its connection is closed', () => open === 0);
  const short = createSmtpSender({ url: slow.url, from: FROM, timeouts: { ...timeouts, mailMs: 300 } });
  await assert.rejects(short.send(MAIL), unavailable(true));
  await waitUntil('its connection is closed', () => open === 0);
  for (const each of [sender, short]) each.close();
  await slow.stop();
});

test('a certificate without a trusted issuer is refused, also where the server offers encryption', async () => {
  for (const secure of [false, true]) {
    // The peer's own certificate is self-signed.
    const peer = await startSmtpPeer({ secure, closeTimeout: 100 });
    const url = secure ? peer.url.replace('smtp:', 'smtps:') : peer.url;
    const sender = createSmtpSender({ url, from: FROM, timeouts: { connectMs: 2_000, silenceMs: 2_000 } });
    await assert.rejects(sender.send(MAIL), unavailable(true));
    assert.deepEqual(peer.received, []);
    sender.close();
    await peer.stop();
  }
});

test('a server beyond this machine that offers no encryption gets nothing, unless that is allowed', async () => {
  const peer = await startSmtpPeer({ hideSTARTTLS: true });
  // Leads to this machine, and is no name of the loopback interface.
  const url = peer.url.replace('127.0.0.1', '0.0.0.0');
  const careful = createSmtpSender({ url, from: FROM });
  await assert.rejects(careful.send(MAIL), unavailable(true));
  assert.deepEqual(peer.received, []);
  careful.close();
  const told = createSmtpSender({ url, from: FROM, allowPlaintext: true });
  await told.send(MAIL);
  assert.equal(peer.received.length, 1);
  told.close();
  await peer.stop();
});

test('a user name and password are taken from the address, in whatever characters', async () => {
  const seen: unknown[] = [];
  const peer = await startSmtpPeer({
    hideSTARTTLS: true,
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      seen.push(username, password);
      done(null, { user: String(username) });
    },
  });
  const sender = createSmtpSender({ url: peer.url.replace('//', '//us%40er:p%3Ass%2F@'), from: FROM });
  await sender.send(MAIL);
  sender.close();
  await peer.stop();
  assert.deepEqual(seen, ['us@er', 'p:ss/']);
});

test('an address that is none is refused without repeating it', () => {
  for (const url of ['http://mail.example', 'mail.example:25', 'smtp://', '']) {
    assert.throws(() => createSmtpSender({ url, from: FROM }), /SMTP_URL is not/);
  }
  assert.throws(
    () => createSmtpSender({ url: 'https://user:hunter22@mail.example', from: FROM }),
    (error) => error instanceof Error && !error.message.includes('hunter22'),
  );
  assert.throws(() => createSmtpSender({ url: 'smtp://127.0.0.1', from: 'nobody' }), /MAIL_FROM/);
});
