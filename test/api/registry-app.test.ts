import { after, before, describe, it } from 'node:test';
import { createInternalKeyAuth } from '../../api/http/caller.ts';
import { createTokenAuth } from '../../api/http/token-auth.ts';
import { serviceRow } from '../../domain/services.ts';
import { createTokenVerifier, type TokenVerifier } from '../../sdk/index.ts';
import { assertAnswers, assertDocumented, everyCaller, readTable } from '../support/every-caller.ts';
import { KEY, startIdp, type TestIdp } from '../support/start-idp.ts';
import { startRegistry, type TestRegistry } from '../support/start-registry.ts';

/** 400 and 404 are answers to those who are let in. The job is a service of the platform, but not the builder. */
const TABLE = readTable(`
                                                    stranger internal root job builder admin member viewer outsider guest orgless service impostor unmarked
  GET    /health                                         200
  GET    /health/live                                    200
  GET    /v1/services                                    401 200 200 200 200 200 200 200 200 403 403 200 200 200
  GET    /v1/services/svc_shop                           401 200 200 200 200 200 200 200 404 403 403 200 200 200
  PUT    /v1/services/svc_shop                           401 400 403 400 400 403 403 403 403 403 403 403 403 403
  PUT    /v1/services/svc_new {"name":"new","org":"acme","serviceSince":"2026-05-04T12:00:00Z"}  401 200 403 403 200 403 403 403 403 403 403 403 403 403
  DELETE /v1/services/svc_none                           401 200 403 403 200 403 403 403 403 403 403 403 403 403
  GET    /v1/namespaces                                  401 200 200 200 200 200 200 200 200 403 403 200 200 200
  PUT    /v1/services/svc_shop/environments/prod/namespace     401 200 403 403 200 403 403 403 403 403 403 403 403 403
  PUT    /v1/services/svc_shop/environments/prod/registration  401 400 403 400 400 403 403 403 403 403 403 403 403 403
  PUT    /v1/services/svc_shop/environments/prod/modules       401 400 403 400 400 403 403 403 403 403 403 403 403 403
  PUT    /v1/services/svc_shop/environments/prod/metadata      401 400 403 400 400 403 403 403 403 403 403 403 403 403
  GET    /v1/services/svc_shop/environments/prod/bindings      401 200 200 200 200 200 200 200 404 403 403 200 200 200
  PUT    /v1/services/svc_shop/environments/prod/bindings/queue/mail  401 400 403 400 400 403 403 403 403 403 403 403 403 403
  DELETE /v1/services/svc_shop/environments/prod/bindings/queue/mail?epoch=1  401 200 403 403 200 403 403 403 403 403 403 403 403 403
  GET    /v1/services/svc_shop/environments/prod/deploys       401 200 200 200 200 200 200 200 404 403 403 200 200 200
  GET    /v1/services/svc_shop/environments/prod/manifest      401 200 200 200 200 200 200 200 404 403 403 200 200 200
  PUT    /v1/services/svc_shop/environments/prod/deploys/bld_1/manifest  401 400 403 400 400 403 403 403 403 403 403 403 403 403
  PUT    /v1/services/svc_shop/environments/prod/deploys/bld_1/snapshot  401 400 403 400 400 403 403 403 403 403 403 403 403 403
  GET    /v1/routes?environment=prod                     401 200 200 200 200 403 403 403 403 403 403 403 403 403
  GET    /v1/modules                                     401 200 200 200 200 403 403 403 403 403 403 403 403 403
  GET    /api/plugins                                    401 200 200 200 200 200 200 200 200 403 403 200 200 200
  GET    /api/plugins/shop                               401 200 200 200 200 200 200 200 404 403 403 200 200 200
  GET    /api/plugins/shop/changelog                     404
  POST   /api/plugins/shop/changelog                     401 400 403 400 400 403 403 403 403 403 403 403 403 403
  PATCH  /api/plugins/shop/changelog                     401 400 403 400 400 403 403 403 403 403 403 403 403 403
  GET    /v1/package-changelogs                          401 200 200 200 200 200 200 200 200 200 200 200 200 200
  GET    /v1/package-changelogs/none@1.0.0               401 404 404 404 404 404 404 404 404 404 404 404 404 404
  PUT    /v1/package-changelogs/none@1.0.0               401 400 400 403 403 403 403 403 403 403 403 403 403 403
`);

describe('who may call the service registry', () => {
  let idp: TestIdp;
  let verifier: TokenVerifier;
  let registry: TestRegistry;
  let callers: Awaited<ReturnType<typeof everyCaller>>;
  before(async () => {
    idp = await startIdp();
    const audience = serviceRow('registry').platformClient;
    verifier = createTokenVerifier({ idpUrl: idp.issuer, audience, revocations: { internalKey: KEY } });
    const internalKey = createInternalKeyAuth({ key: KEY, org: 'platform', equalsSecret: (a, b) => a === b });
    registry = await startRegistry({
      authenticate: createTokenAuth({ internalKey, verifier, platformOrg: 'platform' }),
    });
    callers = await everyCaller(idp, audience);
    await registry.call('PUT', '/v1/services/svc_shop', {
      name: 'shop',
      org: 'acme',
      serviceSince: '2026-05-04T12:00:00Z',
    });
  });
  after(async () => {
    verifier.close();
    await registry.stop();
    await idp.stop();
  });

  it('each route lets in the kinds of callers that it names, and nobody else', async () => {
    await assertAnswers(registry.address, callers, TABLE);
  });

  it('no route is left out, and the document names the credentials of each', async () => {
    await assertDocumented(registry.address, TABLE);
  });
});
