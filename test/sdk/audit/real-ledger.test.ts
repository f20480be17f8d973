import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isReceiptSigned, type Receipt } from '../../../domain/audit-ledger/receipt.ts';
import { createAuditClient, LedgerRefusal } from '../../../sdk/index.ts';
import { startTokenLedger, type TokenLedger } from '../../support/start-token-ledger.ts';

describe('the audit client with the real ledger and the real identity provider', () => {
  let parts: TokenLedger;
  const secrets = new Map<string, string>();
  before(async () => {
    parts = await startTokenLedger();
    for (const org of ['acme', 'other']) await parts.idp.seedOrg(org);
    for (const [clientId, orgSlug] of [['shop-prod', 'acme'] as const, ['spy-prod', 'other'] as const]) {
      secrets.set(clientId, (await parts.idp.seedClient(clientId, { orgSlug })).secret);
    }
  });
  after(() => parts.stop());

  const make = (clientId: string, onReceipt: (receipt: Receipt) => void = () => {}) =>
    createAuditClient({
      auditUrl: parts.ledger.address,
      idpUrl: parts.idp.issuer,
      clientId,
      clientSecret: secrets.get(clientId),
      onReceipt,
    });

  it('emits as the service, in its namespace and org, with receipts that verify', async () => {
    const receipts: Receipt[] = [];
    const audit = make('shop-prod', (receipt) => receipts.push(receipt));
    const order = { eventType: 'order.placed', entityId: 'order-1' };
    await Promise.all([1, 2, 3].map((step) => audit.emit({ ...order, data: { step } })));
    const { events } = await audit.query({ entityId: 'order-1', limit: '2' });
    assert.deepEqual(
      events.map(({ namespace, orgSlug, emitter, data }) => ({ namespace, orgSlug, emitter, data })),
      [3, 2].map((step) => ({ namespace: 'shop', orgSlug: 'acme', emitter: 'shop-prod', data: { step } })),
    );
    assert.deepEqual(
      receipts.map(({ chainIndex }) => chainIndex),
      [0, 1, 2],
    );
    for (const receipt of receipts) assert.ok(isReceiptSigned(receipt, parts.ledger.signer.keys));
    assert.equal((await audit.verify('order-1')).valid, true);
    await audit.close();
  });

  it('sees nothing of another org', async () => {
    const spy = make('spy-prod');
    assert.deepEqual((await spy.query({ entityId: 'order-1' })).events, []);
    await assert.rejects(
      spy.verify('order-1'),
      (error) => error instanceof LedgerRefusal && error.code === 'EVENT_NOT_FOUND',
    );
    await spy.close();
  });

  it('loses an event that the ledger refuses, and says why', async () => {
    const audit = make('shop-prod');
    const outcome = await audit.emit({ eventType: 'Order-Placed', entityId: 'order-1' });
    assert.ok(outcome.status === 'lost' && outcome.error instanceof LedgerRefusal);
    assert.equal(outcome.error.code, 'EVENT_INVALID');
    await audit.close();
  });
});
