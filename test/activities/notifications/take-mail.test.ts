import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTakeMail } from '../../../activities/notifications/take-mail.ts';
import { createMailCounts } from '../../../adapters/mongo/notifications/mail-counts.ts';
import { MOST_ALERT_MAILS } from '../../../domain/notifications/channel-address.ts';
import { createDatabase } from '../../support/in-memory/database/database.ts';

it('alerts of one org are so many mails an hour, and more wait; those of others and of the operators go on', async () => {
  let now = new Date('2026-11-03T10:59:00Z');
  const take = createTakeMail(createMailCounts({ db: createDatabase().connection.db }), () => now, 'alerts');
  for (let mail = 0; mail < MOST_ALERT_MAILS.hour; mail += 1) await take('busy');
  await assert.rejects(take('busy'), { code: 'UNAVAILABLE', retryable: true });
  await take('calm');
  await take(null);
  now = new Date('2026-11-03T11:00:00Z');
  await take('busy');
});

it('what the mail server did not take uses up nothing of the hour, nor of the day', async () => {
  const now = new Date('2026-11-03T10:59:00Z');
  const take = createTakeMail(createMailCounts({ db: createDatabase().connection.db }), () => now, 'alerts');
  for (let mail = 0; mail < MOST_ALERT_MAILS.day; mail += 1) await (await take('acme'))();
  for (let mail = 0; mail < MOST_ALERT_MAILS.hour; mail += 1) await take('acme');
  await assert.rejects(take('acme'), { code: 'UNAVAILABLE', retryable: true });
});
