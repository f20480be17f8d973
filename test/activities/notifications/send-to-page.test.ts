import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { mailBatch } from '../../../activities/notifications/mail-batch.ts';
import type { PageDeliveryDeps } from '../../../activities/notifications/page-delivery-deps.ts';
import { createSendToPage } from '../../../activities/notifications/send-to-page.ts';
import { createSmtpSender, type SmtpSender } from '../../../adapters/mail/smtp-sender.ts';
import { createSubscriberMailer } from '../../../adapters/notifications/subscriber-mailer.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { groupedNotice, MOST_LISTED } from '../../../domain/notifications/group-notices.ts';
import type { Delivery, Notification } from '../../../domain/notifications/notification.ts';
import {
  MAILED_KNOWN_DAYS,
  MOST_IN_BATCH,
  MOST_TOLD_IN_HOUR,
  pageAudience,
} from '../../../domain/notifications/page-audience.ts';
import { putDeliveries } from '../../../domain/notifications/put-deliveries.ts';
import { subscribeNotice } from '../../../domain/notifications/subscribe-notice.ts';
import { header, startSmtpPeer, textPart } from '../../adapters/mail/smtp-peer.ts';
import { addSubscribers, pageDeliveryParts } from '../../support/page-delivery-parts.ts';

const NOW = new Date('2026-11-01T10:00:00Z');
const NEVER = new AbortController().signal;
const PAGE_URL = 'https://status.example.com';

let peer: Awaited<ReturnType<typeof startSmtpPeer>>;
let smtp: SmtpSender;
before(async () => {
  peer = await startSmtpPeer({ disabledCommands: ['STARTTLS'] });
  smtp = createSmtpSender({ url: peer.url, from: 'fairlead@example.com' });
});
after(async () => {
  smtp.close();
  await peer.stop();
});

/** Deliveries as their workflows run them: each that was put under way, until it is taken. */
function world(changes: Partial<PageDeliveryDeps> = {}) {
  const clock = { now: NOW };
  const started: string[] = [];
  const commands = { deliver: async (id: string) => void started.push(id) };
  const parts = pageDeliveryParts({ now: () => clock.now, commands });
  const mailer = createSubscriberMailer({
    ...{ mail: smtp, links: parts.links, pageUrl: PAGE_URL, now: () => clock.now, platformName: 'Acme' },
  });
  const deps = { ...parts, mailer, ...changes };
  const send = createSendToPage(deps, () => 1);
  const attempt = async (id: string) => {
    const delivery = await parts.deliveries.find(id);
    assert.ok(delivery);
    if (delivery.state !== 'delivered') await send(delivery, NEVER);
  };
  const run = async (): Promise<void> => {
    for (let id = started.shift(); id !== undefined; id = started.shift()) await attempt(id);
  };
  const request = async (address: string, org = 'acme') => {
    const asked = { id: parts.newId('subscribeRequest'), org, address, at: clock.now };
    await parts.subscribers.keepRequest(asked);
    const audience = { id: asked.id, org: pageAudience(org) };
    await putDeliveries({ ...parts, now: () => clock.now }, [audience], [subscribeNotice(asked, `${org} status`)]);
  };
  const put = async (notice: Notification) => {
    const audience = { id: 'subscribers', org: notice.org };
    await putDeliveries({ ...parts, now: () => clock.now }, [audience], [notice]);
  };
  const tell = (id: string, org = 'acme') => put(noticeOf(id, org));
  return { ...parts, clock, started, attempt, run, request, put, tell };
}

function noticeOf(id: string, org: string): Notification {
  return {
    ...{ id, kind: 'page.opened', org: pageAudience(org), at: NOW, data: {} },
    subject: 'acme status: Outage of shop\r\nBcc: evil@example.com',
    text: 'Outage of shop (investigating)',
  };
}

const uncounted = async () => async () => undefined;
const taken = () => peer.received.splice(0);
const linkOf = (text: string, label: string): URL =>
  new URL(new RegExp(`^${label}: (\\S+)$`, 'm').exec(text)?.[1] ?? 'none:');

it('an address that asks is mailed a link that confirms it once, then each notice, with one that ends it', async () => {
  const parts = world();
  await parts.request('ann@example.com');
  await parts.run();
  const [asked, ...others] = taken();
  assert.ok(asked !== undefined);
  assert.deepEqual([others.length, asked.recipients], [0, ['ann@example.com']]);
  assert.equal(header(asked, 'List-Unsubscribe'), '', 'who has not confirmed is on no list');
  const link = linkOf(textPart(asked), 'Confirm');
  assert.equal(link.origin + link.pathname, `${PAGE_URL}/subscribers/confirm`);
  const [id, token] = [link.searchParams.get('subscriber') ?? '', link.searchParams.get('token') ?? ''];
  const kept = await parts.subscribers.find(id);
  assert.ok(!JSON.stringify(kept).includes(token), 'the token is not on record');
  await parts.tell('page/inc_0/opened');
  await parts.run();
  assert.deepEqual(taken(), [], 'nobody is told who has not confirmed');
  assert.equal(await parts.subscribers.confirm(id, parts.links.hashOf(token), NOW), true);
  assert.equal(await parts.subscribers.confirm(id, parts.links.hashOf(token), NOW), false);
  for (let times = 0; times < 2; times += 1) {
    await parts.tell('page/inc_1/opened');
    await parts.run();
  }
  const [told, ...more] = taken();
  assert.ok(told !== undefined);
  assert.equal(more.length, 0, 'told twice, it is mailed once');
  const stop = linkOf(textPart(told), 'Unsubscribe');
  assert.equal(header(told, 'List-Unsubscribe'), `<${stop.href}>`);
  assert.equal(header(told, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click');
  assert.ok(parts.links.isStopToken(id, stop.searchParams.get('token') ?? ''));
  assert.deepEqual([told.recipients, header(told, 'Bcc')], [['ann@example.com'], '']);
  await parts.subscribers.remove(id);
  await parts.tell('page/inc_1/resolved');
  await parts.run();
  assert.deepEqual(taken(), []);
});

it('many requests for an address are one mail an hour, on all pages, and none to whoever has confirmed', async () => {
  const parts = world();
  for (const org of ['acme', 'acme', 'rival', 'third']) await parts.request('victim@example.com', org);
  await parts.run();
  assert.equal(taken().length, 1);
  let mails = 0;
  for (let hour = 1; hour < 12; hour += 1) {
    parts.clock.now = new Date(NOW.getTime() + hour * 3_600_000);
    await parts.request('victim@example.com');
    await parts.run();
    mails += taken().length;
  }
  assert.equal(mails, 3, 'four in a day');
  const known = await parts.subscribers.findByAddress('acme', 'victim@example.com');
  const { id, confirmation } = known ?? { id: '', confirmation: null };
  await parts.subscribers.confirm(id, confirmation?.hash ?? '', parts.clock.now);
  parts.clock.now = new Date(NOW.getTime() + 48 * 3_600_000);
  await parts.request('victim@example.com');
  await parts.run();
  assert.equal(taken().length, 0);
});

it('a worker that is killed at any write asks in the end, with one link', async () => {
  const killed = new Error('killed');
  for (const method of ['findRequest', 'findByAddress', 'countQuestion', 'ask'] as const) {
    for (const when of ['before', 'after'] as const) {
      const parts = world();
      await parts.request('ann@example.com');
      const [id = ''] = parts.started;
      const delivery = (await parts.deliveries.find(id)) as Delivery;
      const dying = {
        ...parts.subscribers,
        async [method](...args: never[]) {
          if (when === 'after') await (parts.subscribers[method] as (...given: never[]) => Promise<unknown>)(...args);
          throw killed;
        },
      };
      const mailer = { ask: async () => undefined, tell: async () => undefined };
      const dead = createSendToPage({ ...parts, mailer, subscribers: dying }, () => 1);
      await assert.rejects(dead(delivery, NEVER), killed);
      await parts.run();
      const mails = taken();
      assert.deepEqual([method, when, mails.length], [method, when, 1]);
      const link = linkOf(textPart(mails[0] ?? { body: '' }), 'Confirm');
      const [subscriber = '', token = ''] = [link.searchParams.get('subscriber'), link.searchParams.get('token')].map(
        String,
      );
      assert.equal(await parts.subscribers.confirm(subscriber, parts.links.hashOf(token), NOW), true, method);
    }
  }
});

it('a mail that was taken before a kill is sent once more under the same Message-ID, with the same link', async () => {
  const parts = world();
  await parts.request('ann@example.com');
  const [id = ''] = parts.started;
  await parts.attempt(id);
  await parts.deliveries.note(id, { state: 'pending', endedAt: null });
  await parts.run();
  const [first, again] = taken().map((mail) => [header(mail, 'Message-ID'), linkOf(textPart(mail), 'Confirm').href]);
  assert.deepEqual(first, again);
});

it('thousands are told in batches, each of them once, also where the plan is made again and a batch is cut off', async () => {
  const told = new Map<string, number>();
  const faults = { left: 0 };
  const mailer = {
    ask: async () => undefined,
    async tell({ address }: { readonly address: string }) {
      if (faults.left > 0) {
        faults.left -= 1;
        throw new FairleadError('UNAVAILABLE', 'The mail server did not take the mail', { retryable: true });
      }
      told.set(address, (told.get(address) ?? 0) + 1);
    },
  };
  const parts = world({ mailer });
  const count = MOST_IN_BATCH * 2 + 7;
  const ids = await addSubscribers(parts.subscribers, 'acme', count, NOW);
  await addSubscribers(parts.subscribers, 'rival', 2, NOW);
  await parts.tell('page/inc_1/opened');
  const [plan = ''] = parts.started;
  await parts.attempt(plan);
  // Who leaves or comes meanwhile moves nobody into another batch.
  await parts.subscribers.remove(ids[0] ?? '');
  await addSubscribers(parts.subscribers, 'late', 1, NOW);
  await parts.deliveries.note(plan, { state: 'pending', endedAt: null });
  await parts.attempt(plan);
  const batches = [...new Set(parts.started)].filter((id) => id !== plan);
  assert.equal(batches.length, 3);
  faults.left = 3;
  await assert.rejects(parts.attempt(batches[0] ?? ''), { code: 'UNAVAILABLE', retryable: true });
  assert.equal(told.size, 0, 'while the mail server is away, nobody else is tried');
  faults.left = 1;
  await assert.rejects(parts.attempt(batches[0] ?? ''), { retryable: true });
  assert.equal(told.size, MOST_IN_BATCH - 2, 'one whose mail is put off holds up nobody else');
  for (const id of batches) await parts.attempt(id);
  for (const id of batches) await parts.attempt(id);
  assert.equal(told.size, count - 1);
  assert.deepEqual(
    [...told.values()].filter((times) => times !== 1),
    [],
  );
});

it('an address that is refused for good holds up no other, and is not tried again', async () => {
  const tries: string[] = [];
  const mailer = {
    ask: async () => undefined,
    async tell({ address }: { readonly address: string }) {
      tries.push(address);
      if (address.startsWith('reader-0@'))
        throw new FairleadError('UNAVAILABLE', 'refused (550)', { retryable: false });
    },
  };
  const parts = world({ mailer });
  await addSubscribers(parts.subscribers, 'acme', 3, NOW);
  await parts.tell('page/inc_1/opened');
  await parts.run();
  assert.deepEqual(tries.toSorted(), ['reader-0@example.com', 'reader-1@example.com', 'reader-2@example.com']);
});

it('what the page does not show any more when its mail goes out is not in it, and a mail of nothing else is not sent', async () => {
  const hidden = new Set<string>();
  const parts = world({ showsMonitor: async (_org, id) => !hidden.has(id) });
  await addSubscribers(parts.subscribers, 'acme', 1, NOW);
  const outageOf = (name: string): Notification => ({
    ...noticeOf(`page/inc_${name}/opened`, 'acme'),
    ...{ subject: `Outage of ${name}`, text: `Outage of ${name} (investigating)` },
    data: { monitorId: `mon_${name}`, pageUrl: PAGE_URL },
  });
  const [shop, blog] = [outageOf('shop'), outageOf('blog')];
  await parts.notices.insert([shop, blog], NOW);
  const group = groupedNotice('round', { kind: 'page.opened', count: 2, listed: [shop, blog] });
  assert.ok(group !== null);
  await parts.put(group);
  await parts.attempt(parts.started.shift() ?? '');
  hidden.add('mon_shop');
  const batch = parts.started.shift() ?? '';
  await parts.attempt(batch);
  const [told, ...others] = taken();
  assert.ok(told !== undefined && others.length === 0);
  assert.equal(header(told, 'Subject'), 'Outage of blog');
  assert.doesNotMatch(textPart(told), /shop|more/);
  for (const notice of [shop, { ...group, id: 'group/later' }]) {
    hidden.add('mon_blog');
    await parts.put(notice);
    const plan = parts.started.shift() ?? '';
    await assert.rejects(parts.attempt(plan), { code: 'CONFLICT', retryable: false });
    hidden.clear();
    await parts.attempt(plan);
    hidden.add('mon_shop').add('mon_blog');
    const late = parts.started.shift() ?? '';
    await assert.rejects(parts.attempt(late), { code: 'CONFLICT' });
    const kept = await parts.deliveries.find(late);
    assert.deepEqual([kept?.state, kept?.lastProblem?.includes('does not show')], ['pending', true]);
  }
  assert.deepEqual(taken(), []);
  hidden.clear();
});

it('a group whose listed ones are all hidden by then is told of the others, which it only counted', async () => {
  const hidden = new Set<string>();
  const parts = world({ showsMonitor: async (_org, id) => !hidden.has(id) });
  await addSubscribers(parts.subscribers, 'acme', 1, NOW);
  const all = Array.from({ length: 45 }, (_, index): Notification => {
    const name = `svc-${String(index).padStart(2, '0')}`;
    return {
      ...noticeOf(`page/inc_${name}/opened`, 'acme'),
      ...{ subject: `Outage of ${name}`, text: `Outage of ${name} (investigating)` },
      data: { monitorId: `mon_${name}`, pageUrl: PAGE_URL },
    };
  });
  const other = { ...all[0], id: 'page/inc_x/resolved', kind: 'page.resolved' } as Notification;
  await parts.notices.insert([...all, other], NOW);
  const listed = all.slice(0, MOST_LISTED);
  const group = groupedNotice('round-1', { kind: 'page.opened', count: all.length, listed });
  assert.ok(group !== null);
  const noticeIds = [...all, other].map(({ id }) => id);
  await parts.notices.keepRound({ id: 'round-1', org: group.org, noticeIds, notifications: [group], at: NOW });
  for (const { data } of listed) hidden.add(String(data.monitorId));
  await parts.put(group);
  await parts.run();
  const [told, ...others] = taken();
  assert.ok(told !== undefined && others.length === 0);
  assert.equal(header(told, 'Subject'), 'Outage of svc-20 and 24 more');
  const text = textPart(told);
  assert.match(text, /- Outage of svc-20[\s\S]*- Outage of svc-39[\s\S]*and 5 more/);
  assert.doesNotMatch(text, /svc-[01]/);
  for (const { data } of all) hidden.add(String(data.monitorId));
  await parts.put({ ...group, id: 'group/later' });
  await assert.rejects(parts.attempt(parts.started.shift() ?? ''), { code: 'CONFLICT', retryable: false });
});

it('a page tells so much in an hour, and what is more waits', async () => {
  const parts = world({ mailer: { ask: async () => undefined, tell: async () => undefined } });
  await addSubscribers(parts.subscribers, 'acme', 1, NOW);
  for (let index = 0; index < MOST_TOLD_IN_HOUR; index += 1) await parts.tell(`page/inc_${index}/opened`);
  await parts.run();
  await parts.tell('page/inc_more/opened');
  const [id = ''] = parts.started;
  await assert.rejects(parts.attempt(id), { code: 'UNAVAILABLE', retryable: true });
  parts.clock.now = new Date(NOW.getTime() + 3_600_000);
  await parts.attempt(id);
});

it('mails of a page are counted, each that was taken once; what is more waits, and goes on where it stopped', async () => {
  const told: string[] = [];
  let away = false;
  const mailer = {
    ask: async () => undefined,
    async tell({ address }: { readonly address: string }) {
      if (away) throw new FairleadError('UNAVAILABLE', 'away', { retryable: true });
      told.push(address);
    },
  };
  const counts = new Map<string, number>();
  let most = 2;
  const add = (key: string, by: number) => void counts.set(key, (counts.get(key) ?? 0) + by);
  const mailCounts = {
    async take(key: string, _day: string, limit: number) {
      if ((counts.get(key) ?? 0) >= (key.startsWith('page-mails/') ? most : limit)) return false;
      add(key, 1);
      return true;
    },
    giveBack: async (key: string) => add(key, -1),
  };
  const parts = world({ mailer, mailCounts });
  await addSubscribers(parts.subscribers, 'acme', 4, NOW);
  await addSubscribers(parts.subscribers, 'rival', 1, NOW);
  await parts.tell('page/inc_1/opened');
  await parts.attempt(parts.started.shift() ?? '');
  const batch = parts.started.shift() ?? '';
  away = true;
  await assert.rejects(parts.attempt(batch), { code: 'UNAVAILABLE' });
  assert.equal(counts.get('page-mails/acme'), 0, 'what the mail server did not take is not counted');
  away = false;
  for (let times = 0; times < 3; times += 1) {
    await assert.rejects(parts.attempt(batch), ({ code, retryable, details }: FairleadError) => {
      const { retryAfterSeconds } = details as { readonly retryAfterSeconds: number };
      return code === 'UNAVAILABLE' && retryable && retryAfterSeconds >= 300 && retryAfterSeconds <= 900;
    });
  }
  assert.deepEqual([told.length, (await parts.deliveries.find(batch))?.attempts], [2, 1], 'waiting is no failure');
  await parts.tell('page/inc_2/opened', 'rival');
  await parts.run();
  assert.equal(told.length, 3, 'each page has its own');
  most = 10;
  await parts.attempt(batch);
  assert.equal(new Set(told).size, 4);
  assert.equal(counts.get('page-mails/acme'), 4);
});

it('what is replayed when nobody knows any more whom it has mailed mails nobody, and is not delivered', async () => {
  const parts = world();
  const [reader = ''] = await addSubscribers(parts.subscribers, 'acme', 1, NOW);
  await parts.tell('page/inc_1/opened');
  const plan = parts.started.shift() ?? '';
  await parts.attempt(plan);
  const batch = parts.started.shift() ?? '';
  const isGivenUp = { code: 'CONFLICT', retryable: false };
  const forgotten = { ...parts.mailings, findPlan: async () => null };
  const send = createSendToPage({ ...parts, mailings: forgotten }, () => 1);
  await assert.rejects(send((await parts.deliveries.find(batch)) as Delivery, NEVER), isGivenUp);
  await parts.deliveries.note(plan, { state: 'dead' });
  parts.clock.now = new Date(NOW.getTime() + MAILED_KNOWN_DAYS * 86_400_000);
  for (const id of [plan, batch]) {
    await assert.rejects(parts.attempt(id), isGivenUp);
    assert.notEqual((await parts.deliveries.find(id))?.state, 'delivered');
  }
  assert.deepEqual([taken(), await parts.mailings.mailed(batch)], [[], new Set()]);
  parts.clock.now = new Date(parts.clock.now.getTime() - 1);
  await parts.attempt(batch);
  assert.deepEqual([taken().length, await parts.mailings.mailed(batch)], [1, new Set([reader])]);
});

it('of the slots of a worker, batches take two, of a page one, and leave the others to alerts', async () => {
  const waiting: (() => void)[] = [];
  const mailer = {
    ask: async () => undefined,
    tell: () => new Promise<void>((resolve) => void waiting.push(resolve)),
  };
  const parts = pageDeliveryParts({ now: () => NOW, mailer });
  const send = createSendToPage(parts, () => 1);
  const ids = await addSubscribers(parts.subscribers, 'acme', 3, NOW);
  await parts.mailings.keepPlan(
    'p/subscribers',
    ids.map((id) => [id]),
    NOW,
  );
  const batch = (number: number, org = 'acme'): Delivery => ({
    ...{ id: `p/subscribers/${number}`, notification: noticeOf('p', org), channelId: `subscribers/${number}` },
    ...{ org: pageAudience(org), state: 'pending', attempts: 0, lastProblem: null, createdAt: NOW, endedAt: null },
  });
  const two = [send(batch(0), NEVER)];
  await assert.rejects(send(batch(1), NEVER), { code: 'UNAVAILABLE', retryable: true });
  two.push(send(batch(1, 'other'), NEVER));
  await assert.rejects(send(batch(2, 'third'), NEVER), { code: 'UNAVAILABLE', retryable: true });
  while (waiting.length < 2) await new Promise((resolve) => setImmediate(resolve));
  for (const finish of waiting.splice(0)) finish();
  await Promise.all(two);
});

it('a batch that goes on slowly, or of which some are put off, comes again soon each time; one that mails nobody less and less often', async (t) => {
  const told = new Set<string>();
  const faults = { all: false, putOff: new Set<string>() };
  const mailer = {
    ask: async () => undefined,
    async tell({ id }: { readonly id: string }) {
      if (faults.all || faults.putOff.has(id)) throw new FairleadError('UNAVAILABLE', 'put off', { retryable: true });
      told.add(id);
    },
  };
  const parts = world({ mailer });
  const ids = await addSubscribers(parts.subscribers, 'acme', 30, NOW);
  await parts.tell('page/inc_1/opened');
  await parts.attempt(parts.started.shift() ?? '');
  const batch = parts.started.shift() ?? '';
  const next = async (): Promise<readonly [number, number]> => {
    const error = await parts.attempt(batch).then(
      () => assert.fail('it is delivered'),
      (failure: FairleadError) => failure,
    );
    const { retryAfterSeconds } = error.details as { readonly retryAfterSeconds: number };
    return [retryAfterSeconds, (await parts.deliveries.find(batch))?.attempts ?? Number.NaN];
  };
  // A mail takes more than the time of an attempt.
  let looks = 0;
  const clock = t.mock.method(performance, 'now', () => 50_000 * Math.floor(looks++ / 2));
  for (let times = 1; times <= 10; times += 1) {
    looks = 0;
    assert.deepEqual([await next(), told.size], [[5, 0], times]);
  }
  clock.mock.restore();
  faults.putOff = new Set(ids.slice(28));
  assert.deepEqual([await next(), told.size], [[5, 0], 28]);
  faults.all = true;
  assert.deepEqual(
    [await next(), await next(), await next()],
    [
      [5, 1],
      [10, 2],
      [20, 3],
    ],
  );
  Object.assign(faults, { all: false, putOff: new Set() });
  await parts.attempt(batch);
  assert.equal(told.size, 30);
});

it('a mail that a batch has in hand when its time is over is cut off, so that no other attempt sends it beside it', async () => {
  const begun: string[] = [];
  const mailer = {
    ask: async () => undefined,
    tell: ({ id }: { readonly id: string }, _delivery: Delivery, signal: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        begun.push(id);
        const error = new FairleadError('UNAVAILABLE', 'cut off', { retryable: true });
        signal.addEventListener('abort', () => reject(error), { once: true });
      }),
  };
  const parts = pageDeliveryParts({ now: () => NOW, mailer });
  const ids = await addSubscribers(parts.subscribers, 'acme', 3, NOW);
  await parts.mailings.keepPlan('p/subscribers', [ids], NOW);
  const batch: Delivery = {
    ...{ id: 'p/subscribers/0', notification: noticeOf('p', 'acme'), channelId: 'subscribers/0' },
    ...{ org: pageAudience('acme'), state: 'pending', attempts: 0, lastProblem: null, createdAt: NOW, endedAt: null },
  };
  const deps = { ...parts, takeMail: uncounted, longestMs: { begin: 20, mail: 200 } };
  await assert.rejects(mailBatch(deps, batch, { org: 'acme', signal: NEVER, attempts: 1 }), { message: 'cut off' });
  assert.deepEqual([begun.length, await parts.mailings.mailed(batch.id)], [1, new Set()]);
});

for (const looks of [1, 2, 3, 4]) {
  it(`a batch whose time is over after ${looks} looks at the clock leaves the rest to another attempt`, async (t) => {
    const told: string[] = [];
    const mailer = { ask: async () => undefined, tell: async ({ id }: { id: string }) => void told.push(id) };
    const parts = pageDeliveryParts({ now: () => NOW, mailer });
    const ids = await addSubscribers(parts.subscribers, 'acme', 5, NOW);
    await parts.mailings.keepPlan('p/subscribers', [ids], NOW);
    const batch: Delivery = {
      ...{ id: 'p/subscribers/0', notification: noticeOf('p', 'acme'), channelId: 'subscribers/0' },
      ...{ org: pageAudience('acme'), state: 'pending', attempts: 0, lastProblem: null, createdAt: NOW, endedAt: null },
    };
    let left = looks;
    const clock = t.mock.method(performance, 'now', () => (left-- > 0 ? 0 : 60_000));
    await assert.rejects(
      mailBatch({ ...parts, takeMail: uncounted }, batch, { org: 'acme', signal: NEVER, attempts: 1 }),
      { code: 'UNAVAILABLE' },
    );
    clock.mock.restore();
    await mailBatch({ ...parts, takeMail: uncounted }, batch, { org: 'acme', signal: NEVER, attempts: 2 });
    assert.deepEqual(told.toSorted(), ids);
  });
}
