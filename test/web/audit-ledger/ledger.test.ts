import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildTree } from '../../../adapters/merkle/build-tree.ts';
import { createInternalKeyAuth } from '../../../api/http/caller.ts';
import { createTokenAuth } from '../../../api/http/token-auth.ts';
import type { Anchor } from '../../../domain/audit-ledger/batch.ts';
import { signAnchor, signBatch } from '../../../domain/audit-ledger/batch-signature.ts';
import { addDays, dayOf, endOfDay, startOfDay } from '../../../domain/audit-ledger/days.ts';
import type { LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import { sha256 } from '../../../domain/audit-ledger/hash.ts';
import { fromHash, toHash } from '../../../domain/audit-ledger/merkle-tree.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { TokenVerifier } from '../../../sdk/index.ts';
import {
  type ConsolePeople,
  createConsolePeople,
  type PersonBrowser,
  submitted,
  verifierOf,
  wordsOf,
} from '../../support/console-people.ts';
import { KEY, startIdp, type TestIdp } from '../../support/start-idp.ts';
import { LEDGER, startLedger, type TestLedger } from '../../support/start-ledger.ts';

const YESTERDAY = addDays(dayOf(new Date()), -1);

describe('the pages of the audit ledger', () => {
  let idp: TestIdp;
  let ledger: TestLedger;
  let verifier: TokenVerifier;
  let people: ConsolePeople;
  let ann: UserRecord;
  let eve: UserRecord;
  let root: UserRecord;
  let clock = new Date();
  const events: LedgerEvent[] = [];
  before(async () => {
    idp = await startIdp();
    verifier = verifierOf(idp, 'audit-ledger');
    const internalKey = createInternalKeyAuth({ key: KEY, org: 'platform', equalsSecret: (a, b) => a === b });
    const authenticate = createTokenAuth({ internalKey, verifier, platformOrg: 'platform' });
    const noLogin = () => Promise.reject(new Error('nobody signs in at the ledger here'));
    ledger = await startLedger({
      now: () => clock,
      verifiedAtOnce: 20,
      signIn: () => ({ authenticate, login: { begin: noLogin, finish: noLogin } }),
    });
    people = createConsolePeople(idp, { 'audit-ledger': ledger.address });
    for (const org of ['acme', 'rival']) await idp.seedOrg(org);
    ann = await idp.seedUser('ann@acme.example', { org: 'acme', orgRoles: ['viewer'] });
    eve = await idp.seedUser('eve@rival.example', { org: 'rival', orgRoles: ['admin'] });
    root = await idp.seedUser('root@platform.example', { org: 'platform', platformRoles: ['super_admin'] });
    await writeHistory();
  });
  after(async () => {
    await people?.stop();
    verifier?.close();
    await ledger?.stop();
    await idp?.stop();
  });

  const emit = async (orgSlug: string, namespace: string, number: number): Promise<LedgerEvent> => {
    const payload = `{"data":{"note":"<script>alert(${number})</script>\u202eexe"},"metadata":{"actor":"usr_1"}}`;
    const event = await ledger.writer.emit({
      ...{ namespace, orgSlug, emitter: 'shop-prod', eventType: 'payment.created', entityId: `order/${number}` },
      ...{ payload, idempotency: null },
    });
    events.push(event);
    return event;
  };
  const at = (index: number): LedgerEvent => {
    const event = events[index];
    assert.ok(event);
    return event;
  };

  /** Yesterday with three events of acme and one of the rival, anchored on one of two chains; today one without a batch. */
  async function writeHistory(): Promise<void> {
    clock = new Date(startOfDay(YESTERDAY).getTime() + 3_600_000);
    for (let number = 0; number < 4; number += 1) await emit(number === 3 ? 'rival' : 'acme', 'shop', number);
    const hashes = Buffer.concat(events.map(({ eventHash }) => fromHash(eventHash)));
    const tree = buildTree(hashes);
    const closedAt = endOfDay(YESTERDAY);
    const batch = {
      ...{ id: YESTERDAY, root: toHash(tree.nodes.subarray(0, 32)), leafCount: events.length },
      ...{ chainIds: [31_337, 31_338], closedAt },
    };
    await ledger.batches.insert(await signBatch(batch, LEDGER, ledger.signer), {
      segments: [{ namespace: 'shop', firstChainIndex: 0, firstLeafIndex: 0, count: events.length }],
      ...{ eventHashes: hashes, tree },
      eventIds: events.map(({ id }) => id),
      orgSlugs: events.map(({ orgSlug }) => orgSlug),
    });
    const anchor = {
      ...{ chainId: 31_337, contract: `0x${'ab'.repeat(20)}`, txHash: sha256('transaction'), blockNumber: 7 },
      ...{ blockHash: sha256('block'), confirmedAt: closedAt, explorerUrl: 'https://explorer.example/tx/1' },
    };
    await ledger.batches.putAnchor(YESTERDAY, await signAnchor(anchor, batch, LEDGER, ledger.signer));
    clock = new Date();
    await emit('acme', 'shop', 4);
  }

  const eventPage = (index: number): string => `/ledger/events/${at(index).id}`;
  const open = async (browser: PersonBrowser, path: string): Promise<string> => (await browser.get(path)).text;

  it('list the events of the org alone, by type, entity, namespace and day', async () => {
    const browser = await people.browserOf(ann);
    const all = await open(browser, '/ledger');
    assert.match(wordsOf(all), /order\/4.*order\/0/, 'the newest first');
    assert.doesNotMatch(all, /order\/3/);
    const rows = (text: string): number => [...text.matchAll(/href="\/ledger\/events\//g)].length;
    assert.equal(rows(all), 4);
    assert.equal(rows(await open(browser, '/ledger?eventType=payment.created&entityId=order%2F1')), 1);
    assert.equal(rows(await open(browser, `/ledger?from=${YESTERDAY}&to=${YESTERDAY}&namespace=shop`)), 3);
    assert.match(await open(browser, '/ledger?namespace=none'), /Nothing was found/);
    assert.equal((await browser.get('/ledger?from=tomorrow')).status, 400);
    const everybody = await open(await people.browserOf(root), '/ledger');
    assert.equal(rows(everybody), 5);
  });

  it('lead on to older events by a cursor that keeps the search', async () => {
    for (let number = 100; number < 160; number += 1) await emit('acme', 'many', number);
    const browser = await people.browserOf(ann);
    const first = await open(browser, '/ledger?namespace=many');
    const [, next = ''] = /href="(\/ledger\?namespace=many&amp;cursor=[^"]+)"/.exec(first) ?? [];
    const second = await open(browser, next.replaceAll('&amp;', '&'));
    assert.match(second, /order\/100/);
    assert.doesNotMatch(second, /order\/159/);
  });

  it('show an event as text, with its proof, its anchors, and the commands that verify it', async () => {
    const browser = await people.browserOf(ann);
    const text = await open(browser, eventPage(1));
    assert.doesNotMatch(text, /<script>alert|\u202e/);
    assert.match(text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;⟦U\+202E⟧exe/);
    for (const hash of [at(1).eventHash, at(1).prevHash]) assert.ok(text.includes(hash));
    const { body } = await ledger.call('platform', 'GET', `/v1/proofs/${at(1).id}`);
    for (const hash of [body.data.leaf, body.data.root, ...body.data.proof]) assert.ok(text.includes(hash));
    assert.match(text, /On one chain/);
    assert.match(text, /href="https:\/\/explorer\.example\/tx\/1"/);
    assert.ok(text.includes(`fairlead audit proof ${at(1).id} --output proof.json`));
    assert.match(await open(browser, eventPage(4)), /Proof comes tonight/);
    const anchors = wordsOf(await open(browser, '/ledger/anchors'));
    assert.match(anchors, new RegExp(`${YESTERDAY}.*Missed on chain 31338.*chain 31337, block 7`));
  });

  it('answer 404 for an event, a proof and a verification of another org', async () => {
    const browser = await people.browserOf(eve);
    for (const page of [eventPage(0), '/ledger/events/evt_none', '/ledger/verifications/ver_none']) {
      const { status, text } = await browser.get(page);
      assert.equal(status, 404, page);
      assert.doesNotMatch(text, /payment\.created|order\//, page);
    }
    for (const rest of ['verify-chain', 'verify-entity']) {
      const landed = await submitted(browser, '/ledger', `${eventPage(0)}/${rest}`);
      assert.match(wordsOf(landed), /There is nothing here/, rest);
    }
  });

  it('have the ledger verify a short chain at once, and a long one in the background', async () => {
    const browser = await people.browserOf(ann);
    const page = eventPage(0);
    assert.match(wordsOf(await submitted(browser, page, `${page}/verify-chain`)), /Valid: 5 events/);
    const long = `/ledger/events/${events.find(({ namespace }) => namespace === 'many')?.id}`;
    const sent = await browser.submit(long, `${long}/verify-chain`);
    const run = sent.headers.get('location') ?? '';
    assert.match(run, /^\/ledger\/verifications\//);
    assert.match(await open(browser, run), /Under way/);
    assert.equal((await (await people.browserOf(eve)).get(run)).status, 404);
    const ofEntity = await browser.submit(page, `${page}/verify-entity`);
    assert.match(ofEntity.headers.get('location') ?? '', /^\/ledger\/verifications\//, 'it reads every chain');
  });

  it('believe no anchor that somebody else put into the database of the ledger', async () => {
    const browser = await people.browserOf(ann);
    const batch = (await ledger.batches.find(YESTERDAY)) ?? assert.fail();
    const [{ signature, ...planted }] = batch.anchors as [Anchor];
    const forged = { ...planted, chainId: 31_338, txHash: sha256('forged') };
    for (const [anchor, word] of [
      [{ ...forged, signature }, 'Does not match'],
      [forged, 'Not checked'],
    ] as const) {
      await ledger.batches.putAnchor(YESTERDAY, anchor as Anchor);
      const anchors = await open(browser, '/ledger/anchors');
      assert.match(wordsOf(anchors), new RegExp(`${YESTERDAY} ${word}.*chain 31337, block 7.*chain 31338: `));
      const event = await open(browser, eventPage(1));
      if (word === 'Does not match') assert.match(wordsOf(event), /Does not match/);
      else assert.match(wordsOf(event), /On one chain/);
      assert.doesNotMatch(anchors, new RegExp(forged.txHash.slice(2, 10)));
    }
    await ledger.batches.dropAnchor(YESTERDAY, 31_338);
  });

  it('say where a chain is broken, and how', async () => {
    const stored = ledger.db.collection('audit_ledger_events');
    const changed = await stored.updateOne({ entityId: 'order/2' }, { $set: { eventType: 'payment.cancelled' } });
    assert.equal(changed.modifiedCount, 1);
    const browser = await people.browserOf(ann);
    const text = wordsOf(await submitted(browser, eventPage(0), `${eventPage(0)}/verify-chain`));
    assert.match(text, /Not valid: the chain is broken at shop #2 \(altered\)/);
  });
});
