import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createOutboxSender, OUTBOX_COLLECTION, OUTBOX_SIZE } from '../../../adapters/mail/outbox-sender.ts';
import { MAIL, mailSenderSuite } from '../../ports/identity/mail-sender.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

let mongo: TestMongo;
let clock = 0;
const now = () => new Date(1_700_000_000_000 + clock++);

before(async () => {
  mongo = await startMongo();
});
after(() => mongo.stop());

const open = async () => {
  const { db } = mongo.connection;
  await db.collection(OUTBOX_COLLECTION).deleteMany({});
  const sender = createOutboxSender({ db, now });
  if (sender.outbox === null) throw new Error('no outbox');
  return { sender, outbox: sender.outbox };
};

mailSenderSuite('outbox', async () => {
  const { sender, outbox } = await open();
  return {
    sender,
    arrived: async () => (await outbox.list(10)).map((mail) => ({ ...mail, recipients: [mail.to] })),
    stop: async () => {},
  };
});

test('a mail that is sent twice is kept once, as it was first', async () => {
  const { sender, outbox } = await open();
  await Promise.all(Array.from({ length: 20 }, () => sender.send(MAIL)));
  await sender.send({ ...MAIL, subject: 'changed' });
  assert.deepEqual(
    (await outbox.list(10)).map(({ subject }) => subject),
    [MAIL.subject],
  );
  assert.equal((await outbox.find(MAIL.id))?.to, MAIL.to);
  assert.equal(await outbox.find('eml_none'), null);
});

test('the newest are kept, newest first', async () => {
  const { sender, outbox } = await open();
  for (let index = 0; index < OUTBOX_SIZE + 5; index += 1) {
    await sender.send({ ...MAIL, id: `eml_${index}`, subject: `mail ${index}` });
  }
  assert.equal(await mongo.connection.db.collection(OUTBOX_COLLECTION).countDocuments(), OUTBOX_SIZE);
  const newest = await outbox.list(2);
  assert.deepEqual(
    newest.map(({ subject }) => subject),
    [`mail ${OUTBOX_SIZE + 4}`, `mail ${OUTBOX_SIZE + 3}`],
  );
  assert.equal(await outbox.find('eml_0'), null);
});
