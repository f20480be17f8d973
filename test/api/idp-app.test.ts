import { after, before, describe, it } from 'node:test';
import { assertAnswers, assertDocumented, everyCaller, readTable } from '../support/every-caller.ts';
import { startIdp, type TestIdp } from '../support/start-idp.ts';

/** 400, 404, 409 and 415 are answers to those who are let in; `none` to those who may not know of the org. */
const API = readTable(`
                                            stranger internal root browser job admin member viewer outsider guest orgless service impostor unmarked
  GET    /api/admin/keys                                 401 200 200 200 200  403 403 403 403  403  403  403  403  403
  POST   /api/admin/keys/rotate                          401 200 200 200 200  403 403 403 403  403  403  403  403  403
  POST   /api/admin/keys/none/withdraw                   401 404 404 404 403  403 403 403 403  403  403  403  403  403
  GET    /api/v2/me                                      401 403 200 200 403  200 200 200 200  200  200  403  403  403
  PATCH  /api/v2/me                                      401 403 400 400 403  400 400 400 400  400  400  403  403  403
  GET    /api/v2/me/sessions                             401 403 200 200 403  200 200 200 200  200  200  403  403  403
  DELETE /api/v2/me/sessions/none                        401 403 404 404 403  404 404 404 404  404  404  403  403  403
  GET    /api/v2/users                                   401 200 200 200 403  403 403 403 403  403  403  403  403  403
  GET    /api/v2/users/none                              401 404 404 404 403  403 403 403 403  403  403  403  403  403
  PATCH  /api/v2/users/none                              401 404 404 404 403  403 403 403 403  403  403  403  403  403
  POST   /api/v2/users/none/suspend                      401 404 404 404 403  403 403 403 403  403  403  403  403  403
  POST   /api/v2/users/none/restore                      401 404 404 404 403  403 403 403 403  403  403  403  403  403
  GET    /api/v2/users/none/sessions                     401 404 404 404 403  403 403 403 403  403  403  403  403  403
  DELETE /api/v2/users/none/sessions                     401 404 404 404 403  403 403 403 403  403  403  403  403  403
  DELETE /api/v2/users/none/sessions/none                401 404 404 404 403  403 403 403 403  403  403  403  403  403
  POST   /api/v2/users/none/reset-second-factor          401 404 404 404 403  403 403 403 403  403  403  403  403  403
  POST   /api/v2/orgs                                    401 400 400 400 403  403 403 403 403  403  403  403  403  403
  GET    /api/v2/orgs                                    401 200 200 200 200  200 200 200 200  200  200  200  200  200
  GET    /api/v2/orgs/acme                               401 200 200 200 none 200 200 200 none 403  none none none none
  PATCH  /api/v2/orgs/acme                               401 200 200 200 none 200 403 403 none 403  none none none none
  GET    /api/v2/orgs/acme/members                       401 200 200 200 none 200 200 403 none 403  none none none none
  GET    /api/v2/orgs/acme/members/none                  401 404 404 404 none 404 404 403 none 403  none none none none
  PUT    /api/v2/orgs/acme/members/none {"roles":["member"]}    401 404 404 404 none 404 403 403 none 403 none none none none
  DELETE /api/v2/orgs/acme/members/none                  401 404 404 404 none 404 403 403 none 403  none none none none
  POST   /api/v2/orgs/acme/members/none/suspend          401 404 404 404 none 404 403 403 none 403  none none none none
  POST   /api/v2/orgs/acme/members/none/restore          401 404 404 404 none 404 403 403 none 403  none none none none
  GET    /api/v2/orgs/acme/members/none/sessions         401 404 404 404 none 404 403 403 none 403  none none none none
  DELETE /api/v2/orgs/acme/members/none/sessions         401 404 404 404 none 404 403 403 none 403  none none none none
  DELETE /api/v2/orgs/acme/members/none/sessions/none    401 404 404 404 none 404 403 403 none 403  none none none none
  POST   /api/v2/orgs/acme/members/none/reset-second-factor    401 404 404 404 none 404 403 403 none 403 none none none none
  GET    /api/v2/orgs/acme/audit-events                  401 200 200 200 none 200 403 403 none 403  none none none none
  POST   /api/v2/orgs/acme/users {"email":"taken@example.com","firstName":"A","lastName":"B"}    401 409 409 409 none none none none none none none 409 409 409
  POST   /api/v2/orgs/acme/invites {"email":"x@example.com","modules":["none"]}    401 400 400 400 none 400 403 403 none 403 none none none none
  GET    /api/v2/orgs/acme/invites                       401 200 200 200 none 200 403 403 none 403  none none none none
  DELETE /api/v2/orgs/acme/invites/none                  401 404 404 404 none 404 403 403 none 403  none none none none
  GET    /api/v2/orgs/acme/grants                        401 200 200 200 none 200 403 403 none 403  none none none none
  GET    /api/v2/orgs/acme/grants/none                   401 404 404 404 none 404 403 403 none 403  none none none none
  PUT    /api/v2/orgs/acme/grants/none                   401 404 404 404 none 404 403 403 none 403  none none none none
  DELETE /api/v2/orgs/acme/grants/none                   401 404 404 404 none 404 403 403 none 403  none none none none
  POST   /api/internal/oauth-clients/provision           401 400 400 400 403  403 403 403 403  403  403  403  403  403
  POST   /api/internal/oauth-clients/sign-in             401 400 400 400 403  403 403 403 403  403  403  403  403  403
  POST   /api/internal/oauth-clients/search              401 400 400 400 403  403 403 403 403  403  403  403  403  403
  POST   /api/internal/oauth-clients/remove-additions    401 400 400 400 403  403 403 403 403  403  403  403  403  403
  POST   /api/internal/oauth-clients/add-scopes          401 400 400 400 403  403 403 403 403  403  403  403  403  403
  POST   /api/internal/oauth-clients/revoke-scopes       401 400 400 400 403  403 403 403 403  403  403  403  403  403
  GET    /api/internal/oauth-clients                     401 200 200 200 403  403 403 403 403  403  403  403  403  403
  POST   /api/internal/oauth-clients                     401 400 400 400 403  403 403 403 403  403  403  403  403  403
  GET    /api/internal/oauth-clients/shop-prod           401 200 200 200 403  403 403 403 403  403  403  403  403  403
  PATCH  /api/internal/oauth-clients/shop-prod           401 200 200 200 403  403 403 403 403  403  403  403  403  403
  DELETE /api/internal/oauth-clients/none                401 404 404 404 403  403 403 403 403  403  403  403  403  403
  POST   /api/internal/oauth-clients/none/redirect-uris {"redirectUri":"https://a.example/cb"}      401 404 404 404 403 403 403 403 403 403 403 403 403 403
  DELETE /api/internal/oauth-clients/none/redirect-uris {"redirectUri":"https://a.example/cb"}      401 404 404 404 403 403 403 403 403 403 403 403 403 403
  POST   /api/internal/oauth-clients/none/secrets        401 404 404 404 403  403 403 403 403  403  403  403  403  403
  DELETE /api/internal/oauth-clients/none/secrets/none   401 404 404 404 403  403 403 403 403  403  403  403  403  403
  POST   /api/internal/oauth-clients/none/regenerate-secret    401 404 404 404 403 403 403 403 403 403 403 403 403 403
  PATCH  /api/admin/oauth-clients/none {"trustedInviteSignup":true}    401 403 403 404 403 403 403 403 403 403 403 403 403 403
`);

/**
 * Routes that anybody may ask. What some of them need is no credential of this table but a client's, a link, or a form of
 * the page before: 400, 401 and 403 to everybody alike.
 */
const PUBLIC = readTable(`
                                         stranger internal root browser job admin orgless service impostor unmarked
  GET    /health                                         200
  GET    /health/live                                    200
  GET    /outbox                                         404 404 404 200 404 404 404 404 404 404
  GET    /outbox/none                                    404
  POST   /api/oauth/token                                400
  GET    /.well-known/jwks.json                          200
  GET    /.well-known/openid-configuration               200
  GET    /.well-known/oauth-authorization-server         200
  GET    /api/oauth/revocations                          401 200 401 401 401 401 401 401 401 401
  POST   /api/oauth/introspect                           401
  POST   /api/oauth/revoke                               401
  GET    /api/oauth/userinfo                             401 401 200 401 403 200 200 403 403 403
  POST   /api/oauth/userinfo                             401 401 200 401 403 200 200 403 403 403
  POST   /api/oauth/device_authorization                 401
  GET    /                                               303
  GET    /assets/none                                    404
  GET    /oauth/authorize                                401
  POST   /oauth/authorize form                           303
  POST   /oauth/authorize/decision form                  400
  GET    /login                                          200 200 200 303 200 200 200 200 200 200
  POST   /login form                                     403
  POST   /login/link form                                403
  GET    /login/forgot                                   200
  POST   /login/forgot form                              403
  GET    /login/second-factor                            303
  POST   /login/second-factor form                       403
  POST   /login/second-factor/passkey form               400
  POST   /login/second-factor/passkey/options            403
  POST   /login/passkey form                             400
  POST   /login/passkey/options                          403
  GET    /login/magic                                    400
  POST   /login/magic form                               403
  GET    /login/reset                                    400
  POST   /login/reset form                               403
  GET    /welcome                                        400
  POST   /welcome form                                   403
  GET    /invites/accept                                 400
  POST   /invites/accept form                            403
  GET    /oauth/device                                   303 303 303 200 303 303 303 303 303 303
  POST   /oauth/device form                              403
  POST   /oauth/device/decision form                     400
  GET    /oauth/logout                                   200
  POST   /oauth/logout form                              200
  POST   /oauth/logout/confirm form                      403
  GET    /account                                        303 303 303 200 303 303 303 303 303 303
  POST   /account/sessions/end form                      400
  POST   /account/sessions/end-others form               403
  POST   /account/grants/end form                        400
  POST   /account/password form                          403
  POST   /account/totp form                              403
  POST   /account/totp/confirm form                      403
  POST   /account/totp/remove form                       403
  POST   /account/recovery-codes form                    403
  POST   /account/passkeys form                          400
  POST   /account/passkeys/remove form                   400
  POST   /account/passkeys/options                       403
  GET    /account/second-factor                          303
  POST   /account/second-factor form                     403
  POST   /account/second-factor/passkey form             400
  POST   /account/second-factor/passkey/options          403
  GET    /account/audit                                  303 303 303 404 303 303 303 303 303 303
  POST   /account/confirm/send form                      403
  GET    /account/confirm                                400 400 400 303 400 400 400 400 400 400
  POST   /account/confirm form                           403
  POST   /api/embed/signup                               400
  POST   /api/embed/login                                400
  POST   /api/embed/magic-link                           400
  POST   /api/embed/verify                               400
  POST   /api/embed/forgot-password                      400
  POST   /api/embed/reset-password                       400
  POST   /api/embed/send-confirmation                    400
  POST   /api/embed/confirm-email                        400
  POST   /api/embed/set-initial-password                 400
  POST   /api/embed/refresh                              400
`);

describe('who may call the identity provider', () => {
  let idp: TestIdp;
  before(async () => {
    idp = await startIdp({ trustedProxies: ['loopback'] });
    await idp.seedOrg('acme');
    // Deployed by the org, so that its token may create people there.
    await idp.seedClient('shop-prod', { orgSlug: 'acme', service: 'shop', environment: 'prod' });
    await idp.seedUser('taken@example.com');
  });
  after(() => idp.stop());

  it('each route lets in the kinds of callers that it names, and nobody else', async () => {
    const callers = await everyCaller(idp, 'builder');
    await assertAnswers(idp.address, callers, API);
    await assertAnswers(idp.address, callers, PUBLIC);
  });

  it('no route is left out, and the document names the credentials of each', async () => {
    await assertDocumented(idp.address, API, PUBLIC);
  });
});
