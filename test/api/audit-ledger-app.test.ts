import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertAnswers, assertDocumented, everyCaller, readTable } from '../support/every-caller.ts';
import { startTokenLedger, type TokenLedger } from '../support/start-token-ledger.ts';

/** 400, 404 and 415 are answers to those who are let in, 303 the way to sign in. */
const TABLE = readTable(`
                                            stranger internal root job admin member viewer outsider guest orgless service reader impostor unmarked
  GET    /health                                 200
  GET    /health/live                            200
  POST   /v1/events/emit                         401 400 403 400 403 403 403 403 403 403 400 400 400 400
  POST   /v1/events/batch                        401 400 403 400 403 403 403 403 403 403 400 400 400 400
  GET    /v1/events                              401 200 200 200 200 200 200 200 403 403 200 200 200 200
  GET    /v1/events/none                         401 404 404 404 404 404 404 404 403 403 404 404 404 404
  GET    /v1/entities/none/verify                401 404 404 404 404 404 404 404 403 403 404 404 404 404
  GET    /v1/namespaces/none/verify              401 200 200 200 404 404 404 404 403 403 404 404 404 404
  GET    /v1/verifications/none                  401 404 404 404 404 404 404 404 403 403 404 404 404 404
  GET    /v1/keys                                200
  GET    /v1/checkpoints                         200
  GET    /v1/proofs/none                         401 404 404 404 404 404 404 404 403 403 403 404 403 403
  GET    /v1/batches/2020-01-01                  401 404 404 404 404 404 404 404 403 403 404 404 404 404
  GET    /v1/batches/2020-01-01/leaves           404
  GET    /v1/anchors                             200
  POST   /v1/batches/2999-01-01/anchor           401 400 400 400 403 403 403 403 403 403 403 403 403 403
  GET    /audit                                  303 200 200 200 200 200 200 200 403 403 200 200 200 200
  GET    /audit/events/none                      303 404 404 404 404 404 404 404 403 403 404 404 404 404
  GET    /audit/anchors                          303 200 200 200 200 200 200 200 403 403 200 200 200 200
  GET    /audit/login?to=/audit                  303
  GET    /api/auth/callback                      401
  POST   /audit/logout form                      303
  GET    /audit/signed-out                       200
  GET    /assets/none                            404
`);

describe('who may call the audit ledger', () => {
  let parts: TokenLedger;
  let callers: Awaited<ReturnType<typeof everyCaller>>;
  before(async () => {
    parts = await startTokenLedger();
    callers = await everyCaller(parts.idp, 'audit-ledger');
  });
  after(() => parts.stop());

  it('each route lets in the kinds of callers that it names, and nobody else', async () => {
    await assertAnswers(parts.ledger.address, callers, TABLE);
  });

  it('no route is left out, and the document names the credentials of each', async () => {
    await assertDocumented(parts.ledger.address, TABLE);
  });

  it('someone of an org without a role there is refused by the API as by the pages', async () => {
    const event = { eventType: 'payment.created', entityId: 'order-1' };
    const emitted = await parts.ledger.call(null, 'POST', '/v1/events/emit', event, callers.service);
    assert.equal(emitted.status, 201, emitted.text);
    const id = emitted.body.data.eventId;
    for (const path of ['/v1/events', `/v1/events/${id}`, `/v1/proofs/${id}`, '/v1/entities/order-1/verify']) {
      const refused = await parts.ledger.call(null, 'GET', path, undefined, callers.guest);
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'FORBIDDEN'], path);
      assert.ok(!refused.text.includes('payment.created'), path);
    }
    const page = await parts.ledger.call(null, 'GET', `/audit/events/${id}`, undefined, callers.guest);
    assert.equal(page.status, 403);
    assert.equal((await parts.ledger.call(null, 'GET', `/v1/events/${id}`, undefined, callers.viewer)).status, 200);
  });
});
