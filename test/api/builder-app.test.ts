import { after, before, describe, it } from 'node:test';
import { createClientAdministration } from '../../adapters/idp/client-administration.ts';
import { createTokenVerifier, type TokenVerifier } from '../../sdk/index.ts';
import { heldName } from '../ports/custom-domains/records.ts';
import { assertAnswers, assertDocumented, everyCaller, readTable } from '../support/every-caller.ts';
import { startApi, type TestApi } from '../support/start-api.ts';
import { KEY as IDP_KEY, startIdp, type TestIdp } from '../support/start-idp.ts';

/** 400, 404 and 415 are answers to those who are let in. */
const TABLE = readTable(`
                                               stranger internal root job admin member viewer outsider guest orgless service reader writer impostor unmarked
  GET    /health                                    200
  GET    /health/live                               200
  GET    /.well-known/oauth-protected-resource      200
  GET    /schemas/catalog.json                      200
  POST   /services                                  401 400 400 400 400 400 403 400 403 403 403 403 400 403 403
  GET    /services                                  401 200 200 200 200 200 200 200 403 403 403 200 200 403 403
  GET    /services/none                             401 404 404 404 404 404 404 404 403 403 403 404 404 403 403
  GET    /services/acme-shop                        401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  DELETE /services/none                             401 404 404 404 404 403 403 404 403 403 403 403 403 403 403
  GET    /services/acme-shop/releases               401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  GET    /services/acme-shop/config                 401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  PATCH  /services/acme-shop/config {"set":{"A":"1"}}    401 200 200 200 200 200 403 404 403 403 403 403 200 403 403
  GET    /services/acme-shop/config/values          401 200 200 403 200 200 403 404 403 403 403 403 403 403 403
  GET    /services/acme-shop/config/history         401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  GET    /services/acme-shop/runtime                401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  GET    /services/acme-shop/logs                   401 200 200 200 200 200 403 404 403 403 403 403 200 403 403
  POST   /platform/backups                          401 202 202 403 403 403 403 403 403 403 403 403 403 403 403
  GET    /platform/backups                          401 200 200 403 403 403 403 403 403 403 403 403 403 403 403
  GET    /platform/backups/none                     401 404 404 403 403 403 403 403 403 403 403 403 403 403 403
  POST   /platform/backups/none/cancel              401 404 404 403 403 403 403 403 403 403 403 403 403 403 403
  GET    /platform/logs                             401 200 200 200 403 403 403 403 403 403 403 403 403 403 403
  GET    /platform/logs/tail                        401 200 200 200 403 403 403 403 403 403 403 403 403 403 403
  GET    /platform/logs/tail?part=none              401 404 404 404 403 403 403 403 403 403 403 403 403 403 403
  GET    /services/acme-shop/session-info           401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  POST   /services/acme-shop/rollback               401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
  POST   /builds/trigger                            401 400 400 400 400 400 403 400 403 403 403 403 400 403 403
  POST   /builds/trigger {"service":"acme-shop"}    401 400 400 400 400 400 403 404 403 403 403 403 400 403 403
  POST   /builds/upload?service=none                401 415 415 415 415 415 403 415 403 403 403 403 415 403 403
  POST   /builds/plan                               401 200 200 200 200 200 200 200 403 403 403 200 200 403 403
  GET    /builds                                    401 200 200 200 200 200 200 200 403 403 403 200 200 403 403
  GET    /builds?service=acme-shop                  401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  GET    /builds/none                               401 404 404 404 404 404 404 404 403 403 403 404 404 403 403
  GET    /builds/none/lockfile                      401 404 404 404 404 404 404 404 403 403 403 404 404 403 403
  GET    /builds/none/logs                          401 404 404 404 404 404 404 404 403 403 403 404 404 403 403
  POST   /builds/none/cancel                        401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
  POST   /builds/none/retry                         401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
  POST   /config/reencryption                       401 202 202 403 403 403 403 403 403 403 403 403 403 403 403
  GET    /config/reencryption                       401 200 200 403 403 403 403 403 403 403 403 403 403 403 403
  GET    /grants                                    401 200 200 200 200 200 200 200 403 403 403 200 200 403 403
  GET    /grants/none                               401 404 404 404 404 404 404 404 403 403 403 404 404 403 403
  POST   /services/none/grants {"service":"a","scopes":["b"]}    401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
  POST   /grants/none/approve {}                    401 404 404 403 404 403 403 404 403 403 403 403 403 403 403
  POST   /grants/none/deny {}                       401 404 404 403 404 403 403 404 403 403 403 403 403 403 403
  POST   /grants/none/revoke {}                     401 404 404 403 404 403 403 404 403 403 403 403 403 403 403
  POST   /hooks/git/none                            401 401 401 401 401 401 401 401 401 401 401 401 401 401 401
  GET    /git/connections                           401 200 200 200 200 200 403 200 403 403 403 403 200 403 403
  POST   /git/connections                           401 400 400 400 400 403 403 400 403 403 403 403 403 403 403
  GET    /git/connections/none                      401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
  PATCH  /git/connections/none                      401 404 404 404 404 403 403 404 403 403 403 403 403 403 403
  DELETE /git/connections/none                      401 404 404 404 404 403 403 404 403 403 403 403 403 403 403
  GET    /git/connections/none/deliveries           401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
  POST   /git/connections/none/look                 401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
  POST   /git/connections/none/rotate               401 404 404 404 404 403 403 404 403 403 403 403 403 403 403
  PUT    /git/connections/none/services/none {"rules":[]}    401 404 404 404 404 403 403 404 403 403 403 403 403 403 403
  GET    /git/identities                            401 403 200 403 200 200 200 200 403 403 403 403 403 403 403
  POST   /git/identities                            401 403 400 403 400 400 400 400 403 403 403 403 403 403 403
  DELETE /git/identities/none                       401 403 404 403 404 404 404 404 403 403 403 403 403 403 403
  GET    /services/acme-shop/authorized-orgs        401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  GET    /services/acme-shop/authorized-orgs/history    401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  POST   /services/acme-shop/authorized-orgs {"orgSlug":"acme"}    401 400 400 400 400 403 403 404 403 403 403 403 403 403 403
  DELETE /services/acme-shop/authorized-orgs/nobody    401 403 404 403 404 403 403 404 403 403 403 403 403 403 403
  GET    /services/acme-shop/databases              401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  POST   /services/acme-shop/databases/backup       401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
  GET    /services/acme-shop/databases/backups      401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  GET    /services/acme-shop/databases/backups/none    401 404 404 404 404 404 404 404 403 403 403 404 404 403 403
  POST   /services/acme-shop/databases/backups/none/cancel    401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
  GET    /services/acme-shop/databases/backups/none/download    401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
  POST   /services/acme-shop/databases/restore {"backupId":"none","confirm":true}    401 404 404 404 404 403 403 404 403 403 403 403 403 403 403
  GET    /services/acme-shop/databases/restores     401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  GET    /services/acme-shop/databases/restores/none    401 404 404 404 404 404 404 404 403 403 403 404 404 403 403
  POST   /services/acme-shop/databases/restores/none/cancel    401 404 404 404 404 403 403 404 403 403 403 403 403 403 403
  GET    /services/acme-shop/databases/logins       401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  POST   /services/acme-shop/databases/rotate       401 404 404 404 404 403 403 404 403 403 403 403 403 403 403
  GET    /databases/backups                         401 200 200 403 403 403 403 403 403 403 403 403 403 403 403
  GET    /databases/backups/health                  401 200 200 200 200 200 200 200 403 403 403 200 200 403 403
  GET    /databases/kept                            401 200 200 200 200 200 200 200 403 403 403 200 200 403 403
  POST   /databases/kept/none/drop {"confirm":"x"}    401 404 404 404 404 403 403 404 403 403 403 403 403 403 403
  POST   /domains/add                               401 400 400 400 400 400 403 400 403 403 403 403 400 403 403
  POST   /domains/add {"service":"acme-shop","domain":"nothing","mode":"direct"}    401 400 400 400 400 400 403 404 403 403 403 403 400 403 403
  GET    /domains                                   401 200 200 200 200 200 200 200 403 403 403 200 200 403 403
  GET    /domains?service=acme-shop                 401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  GET    /domains/modes                             401 200 200 200 200 200 200 200 403 403 403 200 200 403 403
  GET    /domains/shop.acme.com                     401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  GET    /domains/shop.acme.com/status              401 200 200 200 200 200 200 404 403 403 403 200 200 403 403
  POST   /domains/shop.acme.com/verify              401 200 200 200 200 200 403 404 403 403 403 403 200 403 403
  DELETE /domains/none.acme.com                     401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
  GET    /oauth/clients                             401 200 200 200 200 200 200 200 403 403 403 200 200 403 403
  POST   /oauth/clients                             401 400 400 400 400 400 403 400 403 403 403 403 400 403 403
  GET    /oauth/clients/acme-client                 401 200 200 404 200 200 200 404 403 403 403 200 200 403 403
  PATCH  /oauth/clients/acme-client                 401 200 200 404 200 200 403 404 403 403 403 403 200 403 403
  DELETE /oauth/clients/none                        401 404 404 404 404 403 403 404 403 403 403 403 403 403 403
  POST   /oauth/clients/none/redirect-uris {"redirectUri":"https://a.example/cb"}    401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
  DELETE /oauth/clients/none/redirect-uris {"redirectUri":"https://a.example/cb"}    401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
  POST   /oauth/clients/none/secrets                401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
  DELETE /oauth/clients/none/secrets/none           401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
  POST   /oauth/clients/none/regenerate-secret      401 404 404 404 404 404 403 404 403 403 403 403 404 403 403
`);

describe('who may call the builder', () => {
  let idp: TestIdp;
  let api: TestApi;
  let verifier: TokenVerifier;
  before(async () => {
    idp = await startIdp();
    verifier = createTokenVerifier({ idpUrl: idp.issuer, audience: 'builder', revocations: { internalKey: IDP_KEY } });
    const clients = createClientAdministration({ url: idp.address, internalKey: IDP_KEY });
    api = await startApi({ verifier, issuer: idp.issuer }, clients);
    await api.services.upsert({ id: 'svc_acme', name: 'acme-shop', org: 'acme' }, {});
    const shop = { serviceId: 'svc_acme', service: 'acme-shop', org: 'acme' };
    await api.domains.insert(heldName(shop, { domain: 'shop.acme.com', apex: 'acme.com' }));
    await idp.seedClient('acme-client', { orgSlug: 'acme' });
  });
  after(async () => {
    verifier.close();
    await api.stop();
    await idp.stop();
  });

  it('each route lets in the kinds of callers that it names, and nobody else', async () => {
    await assertAnswers(api.address, await everyCaller(idp, 'builder'), TABLE);
  });

  it('no route is left out, and the document names the credentials of each', async () => {
    await assertDocumented(api.address, TABLE);
  });
});
