import { after, before, describe, it } from 'node:test';
import { createTokenVerifier, type TokenVerifier } from '../../sdk/index.ts';
import { assertAnswers, assertDocumented, everyCaller, readTable } from '../support/every-caller.ts';
import { KEY as IDP_KEY, startIdp, type TestIdp } from '../support/start-idp.ts';
import { startLocker, type TestLocker } from '../support/start-locker.ts';

/** 400 and 404 are answers to those who are let in; `none` is that there is no such org. */
const TABLE = readTable(`
                                               stranger internal root job admin member viewer outsider guest orgless service resolver impostor unmarked
  GET    /health                                    200
  GET    /health/live                               200
  GET    /.well-known/oauth-protected-resource      200
  POST   /api/resolve                               401 403 403 403 403 403 403 403 403 403 403 400 403 403
  GET    /api/orgs/acme/vaults                      401 200 200 403 200 200 403 none 403 403 403 403 403 403
  GET    /api/orgs/acme/items                       401 200 200 403 200 200 403 none 403 403 403 403 403 403
  GET    /api/orgs/acme/vaults/v/items/i            401 404 404 403 404 404 403 none 403 403 403 403 403 403
  PATCH  /api/orgs/acme/vaults/v/items/i {"removeFields":["x"]}          401 400 400 403 400 403 403 none 403 403 403 403 403 403
  POST   /api/orgs/acme/vaults/v/items/i/seal       401 404 404 403 404 403 403 none 403 403 403 403 403 403
  DELETE /api/orgs/acme/vaults/v/items/i            401 404 404 403 404 403 403 none 403 403 403 403 403 403
  PUT    /api/orgs/acme/vaults/v/items/i/bindings/svc_1 {"service":"shop"}    401 404 404 403 404 403 403 none 403 403 403 403 403 403
  DELETE /api/orgs/acme/vaults/v/items/i/bindings/svc_1     401 404 404 403 404 403 403 none 403 403 403 403 403 403
  GET    /api/me/vaults                             401 403 200 403 200 200 200 200 200 200 403 403 403 403
  GET    /api/me/items                              401 403 200 403 200 200 200 200 200 200 403 403 403 403
  GET    /api/me/vaults/v/items/i                   401 403 404 403 404 404 404 404 404 404 403 403 403 403
  GET    /api/me/vaults/v/items/i/values            401 403 404 403 404 404 404 404 404 404 403 403 403 403
  PATCH  /api/me/vaults/v/items/i {"removeFields":["x"]}    401 403 400 403 400 400 400 400 400 400 403 403 403 403
  POST   /api/me/vaults/v/items/i/seal              401 403 404 403 404 404 404 404 404 404 403 403 403 403
  DELETE /api/me/vaults/v/items/i                   401 403 404 403 404 404 404 404 404 404 403 403 403 403
  POST   /api/reencryption                          401 202 202 403 403 403 403 403 403 403 403 403 403 403
  GET    /api/reencryption                          401 200 200 403 403 403 403 403 403 403 403 403 403 403
`);

describe('who may call the locker', () => {
  let idp: TestIdp;
  let locker: TestLocker;
  let verifier: TokenVerifier;
  before(async () => {
    idp = await startIdp();
    verifier = createTokenVerifier({ idpUrl: idp.issuer, audience: 'locker', revocations: { internalKey: IDP_KEY } });
    locker = await startLocker({}, { verifier, issuer: idp.issuer });
  });
  after(async () => {
    verifier.close();
    await locker.stop();
    await idp.stop();
  });

  it('each route lets in the kinds of callers that it names, and nobody else', async () => {
    await assertAnswers(locker.address, await everyCaller(idp, 'locker'), TABLE);
  });

  it('no route is left out, and the document names the credentials of each', async () => {
    await assertDocumented(locker.address, TABLE);
  });
});
