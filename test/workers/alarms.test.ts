import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { alarmsSection } from '../../adapters/env/alarms.ts';
import { readSection } from '../../adapters/env.ts';
import { composeAlarms } from '../../workers/alarms.ts';
import { header, startSmtpPeer, textPart } from '../adapters/mail/smtp-peer.ts';

const ALARM = {
  id: 'backup.backups_alarm/2026-05-04',
  subject: 'Databases without a backup: 2026-05-04',
  text: 'shop/prod (postgres): <script>alert("1 & 2")</script>\nWhat to do: docs/backups.md',
};

describe('alarms of the worker', { timeout: 60_000 }, () => {
  let peer: Awaited<ReturnType<typeof startSmtpPeer>>;
  before(async () => {
    peer = await startSmtpPeer({ hideSTARTTLS: true });
  });
  after(() => peer.stop());

  /** A worker with these variables, and the lines of its log. */
  async function worker(variables: Readonly<Record<string, string>>) {
    const lines: { readonly level: string; readonly message: string; readonly fields: unknown }[] = [];
    const log = (level: string) => (fields: unknown, message?: string) =>
      void lines.push({ level, message: message ?? String(fields), fields });
    const logger = { warn: log('warn'), error: log('error') };
    const opened = new AsyncDisposableStack();
    const raise = await composeAlarms({ env: readSection(alarmsSection, variables), logger, opened });
    return { raise, lines, stop: () => opened.disposeAsync() };
  }

  it('are mailed, with a text that is not taken for markup, and told to the log', async () => {
    const { raise, lines, stop } = await worker({ PLATFORM_ALERT_EMAIL: 'ops@example.com', SMTP_URL: peer.url });
    await raise(ALARM);
    await stop();
    const [mail] = peer.received;
    assert.ok(mail !== undefined);
    assert.deepEqual(mail.recipients, ['ops@example.com']);
    assert.equal(header(mail, 'Subject'), ALARM.subject);
    assert.ok(textPart(mail).includes('<script>alert("1 & 2")</script>'), textPart(mail));
    const html = mail.body.slice(mail.body.indexOf('text/html'));
    assert.match(html, /&lt;script&gt;alert\("1 &amp; 2"\)&lt;\/script&gt;/);
    assert.doesNotMatch(html, /<script>/);
    assert.deepEqual(lines, [
      { level: 'error', message: ALARM.subject, fields: { alarm: ALARM.id, message: ALARM.text } },
    ]);
  });

  it('that are raised again, after an answer that was lost, are the same mail', async () => {
    const { raise, stop } = await worker({ PLATFORM_ALERT_EMAIL: 'ops@example.com', SMTP_URL: peer.url });
    const seen = peer.received.length;
    for (let again = 0; again < 2; again += 1) await raise(ALARM);
    await raise({ ...ALARM, id: 'backup.backups_alarm/2026-05-05' });
    await stop();
    const ids = peer.received.slice(seen).map((mail) => header(mail, 'Message-ID'));
    assert.equal(ids.length, 3);
    assert.match(ids[0] ?? '', /^<backup\.backups_alarm\/2026-05-04@/);
    assert.deepEqual([ids[0] === ids[1], ids[1] === ids[2]], [true, false]);
  });

  it('that no server took are raised again', async () => {
    const away = await startSmtpPeer({ hideSTARTTLS: true });
    await away.stop();
    const { raise, stop } = await worker({ PLATFORM_ALERT_EMAIL: 'ops@example.com', SMTP_URL: away.url });
    await assert.rejects(raise(ALARM), { code: 'UNAVAILABLE', retryable: true });
    await stop();
  });

  it('whose mail is refused for good are lines of the log: nothing that raises one fails by it', async () => {
    const refuses = await startSmtpPeer({
      hideSTARTTLS: true,
      onRcptTo: (_address, _session, done) => done(Object.assign(new Error('no such user'), { responseCode: 550 })),
    });
    const { raise, lines, stop } = await worker({ PLATFORM_ALERT_EMAIL: 'ops@example.com', SMTP_URL: refuses.url });
    await raise(ALARM);
    await stop();
    await refuses.stop();
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [
        ['error', ALARM.subject],
        ['error', 'the mail of this alarm was refused for good, and nobody got it'],
      ],
    );
  });

  it('are lines of the log alone without a mail server: the start of the worker says so', async () => {
    const { raise, lines, stop } = await worker({ PLATFORM_ALERT_EMAIL: 'ops@example.com' });
    assert.match(lines[0]?.message ?? '', /PLATFORM_ALERT_EMAIL is set, and SMTP_URL is not/);
    await raise(ALARM);
    await stop();
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['warn', 'error'],
    );
  });

  it('are lines of the log alone where nobody is to be written to', async () => {
    const { raise, lines, stop } = await worker({ SMTP_URL: peer.url });
    const seen = peer.received.length;
    await raise(ALARM);
    await stop();
    assert.deepEqual([lines.length, peer.received.length], [1, seen]);
  });
});
