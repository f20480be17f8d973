import { after, before, describe, it } from 'node:test';
import { createOrgDirectory } from '../../adapters/idp/org-directory.ts';
import { createTokenVerifier, type TokenVerifier } from '../../sdk/index.ts';
import { assertAnswers, assertDocumented, everyCaller, readTable } from '../support/every-caller.ts';
import { startIdp, type TestIdp } from '../support/start-idp.ts';
import { KEY, startWallet, type TestWallet } from '../support/start-wallet.ts';

/** 400 is an answer to those who are let in, `none` that there is no such org. */
const TABLE = readTable(`
                                               stranger internal root job admin member viewer outsider guest orgless service reader writer impostor unmarked
  GET    /health                                    200
  GET    /health/live                               200
  GET    /.well-known/oauth-protected-resource      200
  GET    /wallets/acme                              401 200  200  200  200  200  200  none 403 403 200  200  200  200  200
  GET    /wallets/acme/ledger                       401 200  200  200  200  200  200  none 403 403 403  200  403  403  403
  POST   /wallets/acme/credits                      401 400  400  400  403  403  403  403  403 403 403  403  403  403  403
  POST   /wallets/acme/debits                       401 400  403  400  403  403  403  403  403 403 403  403  403  403  403
`);

/** Of an org that is not there, the platform learns that; to people and services no org but their own is there. */
const OF_NOBODY = readTable(`
                                               stranger internal root job admin member viewer outsider guest orgless service reader writer impostor unmarked
  GET    /wallets/nobody                            401 none none none none none none none 403 403 none none none none none
  GET    /wallets/nobody/ledger                     401 none none none none none none none 403 403 403  none 403  403  403
`);

describe('who may call the wallet', () => {
  let idp: TestIdp;
  let wallet: TestWallet;
  let verifier: TokenVerifier;
  before(async () => {
    idp = await startIdp();
    verifier = createTokenVerifier({ idpUrl: idp.issuer, audience: 'wallet', revocations: { internalKey: KEY } });
    const orgs = createOrgDirectory({ url: idp.address, internalKey: KEY });
    wallet = await startWallet({ verifier, issuer: idp.issuer, orgs });
  });
  after(async () => {
    verifier.close();
    await wallet.stop();
    await idp.stop();
  });

  it('each route lets in the kinds of callers that it names, and nobody else', async () => {
    const callers = await everyCaller(idp, 'wallet');
    await assertAnswers(wallet.address, callers, TABLE);
    await assertAnswers(wallet.address, callers, OF_NOBODY);
  });

  it('no route is left out, and the document names the credentials of each', async () => {
    await assertDocumented(wallet.address, TABLE);
  });
});
