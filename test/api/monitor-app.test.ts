import { after, before, describe, it } from 'node:test';
import { createInternalKeyAuth } from '../../api/http/caller.ts';
import { createTokenAuth } from '../../api/http/token-auth.ts';
import { createTokenVerifier, type TokenVerifier } from '../../sdk/index.ts';
import { assertAnswers, assertDocumented, everyCaller, readTable } from '../support/every-caller.ts';
import { KEY, startIdp, type TestIdp } from '../support/start-idp.ts';
import { startMonitor, type TestMonitor } from '../support/start-monitor.ts';

const CHECK = '{"kind":"tcp","host":"db.example.com","port":5432}';
const ADDED = `{"name":"db","check":${CHECK}}`;
const REGISTERED = '{"serviceName":"shop","environment":"prod","url":"https://shop.example.com/health"}';

/** 404, 400 and 409 are answers to those who are let in. */
const TABLE = readTable(`
                                               stranger internal root job builder admin member viewer outsider guest orgless service reader resolver impostor unmarked
  GET    /health                               200
  GET    /health/live                          200
  GET    /.well-known/oauth-protected-resource 200
  GET    /                                     200
  GET    /status/nobody                        404
  GET    /changelog/shop                       404
  GET    /api/pulse/status                     200 200 200 200 200 200 200 200 200 404 200 404 404 200 404 404
  GET    /badges/mon_none/state.svg            404
  GET    /badges/mon_none/uptime.svg           404
  GET    /api/heartbeats/mon_none/token        404
  GET    /api/heartbeats/mon_none/token/start  404
  GET    /api/heartbeats/mon_none/token/fail   404
  POST   /api/heartbeats/mon_none/token        404
  POST   /api/heartbeats/mon_none/token/start  404
  POST   /api/heartbeats/mon_none/token/fail   404
  GET    /feed.atom                            200
  GET    /maintenance.ics                      200
  GET    /status/nobody/feed.atom              404
  GET    /status/nobody/maintenance.ics        404
  GET    /api/v2/summary.json                  200
  GET    /api/v2/status.json                   200
  GET    /api/v2/components.json               200
  GET    /api/v2/incidents.json                200
  GET    /api/v2/incidents/unresolved.json     200
  GET    /api/v2/scheduled-maintenances.json   200
  GET    /api/v2/scheduled-maintenances/upcoming.json  200
  GET    /api/v2/scheduled-maintenances/active.json    200
  GET    /status/nobody/api/v2/summary.json    404
  GET    /status/nobody/api/v2/status.json     404
  GET    /status/nobody/api/v2/components.json 404
  GET    /status/nobody/api/v2/incidents.json  404
  GET    /status/nobody/api/v2/incidents/unresolved.json   404
  GET    /status/nobody/api/v2/scheduled-maintenances.json 404
  GET    /status/nobody/api/v2/scheduled-maintenances/upcoming.json  404
  GET    /status/nobody/api/v2/scheduled-maintenances/active.json    404
  POST   /api/pulse/register ${REGISTERED}     401 200 200 200 200 403 403 403 403 403 403 403 403 403 403 403
  POST   /api/pulse/unregister ${REGISTERED}   401 200 200 200 200 403 403 403 403 403 403 403 403 403 403 403
  GET    /metrics                              401 200 200 200 200 200 200 200 200 403 403 403 403 403 403 403
  GET    /api/monitors                         401 200 200 200 200 200 200 200 200 403 403 403 403 403 403 403
  POST   /api/monitors ${ADDED}                401 201 201 201 201 201 201 403 201 403 403 403 403 403 403 403
  GET    /api/monitors/mon_none                401 404 404 404 404 404 404 404 404 403 403 403 403 403 403 403
  GET    /api/monitors/mon_none/days           401 404 404 404 404 404 404 404 404 403 403 403 403 403 403 403
  GET    /api/monitors/mon_none/series         401 404 404 404 404 404 404 404 404 403 403 403 403 403 403 403
  GET    /api/monitor-reports                  401 200 200 200 200 200 200 200 200 403 403 403 403 403 403 403
  GET    /api/monitor-reports.csv              401 200 200 200 200 200 200 200 200 403 403 403 403 403 403 403
  PATCH  /api/monitors/mon_none {"paused":true}    401 404 404 404 404 404 404 403 404 403 403 403 403 403 403 403
  DELETE /api/monitors/mon_none                401 404 404 404 404 404 404 403 404 403 403 403 403 403 403 403
  POST   /api/monitors/mon_none/maintenance {"from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}  401 404 404 404 404 404 404 403 404 403 403 403 403 403 403 403
  POST   /api/monitors/mon_none/recurring-maintenance {"cron":"0\\u00203\\u0020*\\u0020*\\u0020sun","minutes":60}  401 404 404 404 404 404 404 403 404 403 403 403 403 403 403 403
  DELETE /api/monitors/mon_none/recurring-maintenance/mnt_none  401 404 404 404 404 404 404 403 404 403 403 403 403 403 403 403
  POST   /api/monitors/mon_none/rotate-token   401 404 404 404 404 404 404 403 404 403 403 403 403 403 403 403
  GET    /api/monitor-secrets                  401 200 200 200 200 200 200 403 200 403 403 403 403 403 403 403
  PUT    /api/monitor-secrets/token {"value":"x","hosts":["a.example"]}  401 200 200 200 200 200 200 403 200 403 403 403 403 403 403 403
  DELETE /api/monitor-secrets/none             401 404 404 404 404 404 404 403 404 403 403 403 403 403 403 403
  DELETE /api/monitors/mon_none/maintenance    401 404 404 404 404 404 404 403 404 403 403 403 403 403 403 403
  GET    /api/incidents                        401 200 200 200 200 200 200 200 200 403 403 403 403 403 403 403
  GET    /api/incidents/inc_none               401 404 404 404 404 404 404 404 404 403 403 403 403 403 403 403
  POST   /api/incidents {"title":"x","body":"y"}   401 202 202 202 202 202 202 403 202 403 403 403 403 403 403 403
  POST   /api/incidents/inc_none/acknowledge   401 404 404 404 404 404 404 403 404 403 403 403 403 403 403 403
  POST   /api/incidents/inc_none/updates {"status":"identified","body":"y"}   401 404 404 404 404 404 404 403 404 403 403 403 403 403 403 403
  POST   /api/incidents/inc_none/resolve       401 404 404 404 404 404 404 403 404 403 403 403 403 403 403 403
  GET    /api/alerts/channels                  401 200 200 200 200 200 403 403 200 403 403 403 403 403 403 403
  POST   /api/alerts/channels {"kind":"webhook","url":"https://a.example.com/hook"}  401 201 201 201 201 201 403 403 201 403 403 403 403 403 403 403
  DELETE /api/alerts/channels/chn_none         401 404 404 404 404 404 403 403 404 403 403 403 403 403 403 403
  PUT    /api/alerts/channels/chn_none/quiet-hours {"from":"22:00","to":"07:00"}  401 404 404 404 404 404 403 403 404 403 403 403 403 403 403 403
  DELETE /api/alerts/channels/chn_none/quiet-hours  401 404 404 404 404 404 403 403 404 403 403 403 403 403 403 403
  GET    /api/alerts/escalation                401 200 200 200 200 200 200 403 200 403 403 403 403 403 403 403
  PUT    /api/alerts/escalation/critical {"steps":[{"channelIds":["chn_none"]}]}  401 400 400 400 400 400 403 403 400 403 403 403 403 403 403 403
  DELETE /api/alerts/escalation/critical       401 200 200 200 200 200 403 403 200 403 403 403 403 403 403 403
  POST   /api/alerts/test                      401 202 202 202 202 202 403 403 202 403 403 403 403 403 403 403
  GET    /api/alerts/deliveries                401 200 200 200 200 200 403 403 200 403 403 403 403 403 403 403
  POST   /api/alerts/deliveries/replay {"id":"dlv_none"}  401 404 404 404 404 404 403 403 404 403 403 403 403 403 403 403
  GET    /alerts/confirm?channel=chn_none&token=t        400
  POST   /alerts/confirm?channel=chn_none&token=t form   400
  GET    /alerts/stop?channel=chn_none&token=t           400
  POST   /alerts/stop?channel=chn_none&token=t form      400
  POST   /subscribe form                                 400
  POST   /status/nobody/subscribe form                   400
  GET    /subscribers/confirm?subscriber=sub_none&token=t        400
  POST   /subscribers/confirm?subscriber=sub_none&token=t form   400
  GET    /subscribers/stop?subscriber=sub_none&token=t           400
  POST   /subscribers/stop?subscriber=sub_none&token=t form      400
  GET    /api/status-page/subscribers          401 200 200 200 200 200 403 403 200 403 403 403 403 403 403 403
  GET    /api/status-page/subscribers.csv      401 200 200 200 200 200 403 403 200 403 403 403 403 403 403 403
  DELETE /api/status-page/subscribers          401 200 200 200 200 200 403 403 200 403 403 403 403 403 403 403
  DELETE /api/status-page/subscribers/sub_none 401 404 404 404 404 404 403 403 404 403 403 403 403 403 403 403
  GET    /assets/none.css                      404
  GET    /api/auth/callback                    401
  GET    /dashboard/login                      303
  GET    /dashboard/signed-out                 200
  POST   /dashboard/logout form                403
  GET    /dashboard                            303 200 200 200 200 200 200 200 200 403 403 403 403 403 403 403
  GET    /dashboard/incidents                  303 200 200 200 200 200 200 200 200 403 403 403 403 403 403 403
  GET    /dashboard/escalation                 303 200 200 200 200 200 200 403 200 403 403 403 403 403 403 403
  GET    /dashboard/escalation/critical         303 200 200 200 200 200 403 403 200 403 403 403 403 403 403 403
  GET    /dashboard/monitors/mon_none          303 404 404 404 404 404 404 404 404 403 403 403 403 403 403 403
  GET    /dashboard/incidents/inc_none         303 404 404 404 404 404 404 404 404 403 403 403 403 403 403 403
  POST   /dashboard/monitors/mon_none/change form         403
  POST   /dashboard/escalation/critical form              403
  POST   /dashboard/escalation/critical/end form          403
  POST   /dashboard/incidents/inc_none/acknowledge form   403
  POST   /dashboard/incidents/inc_none/updates form       400
  POST   /dashboard/incidents/inc_none/resolve form       403
`);

/** Begins logins that nobody finishes. */
const LOGIN = {
  begin: async () => ({ url: 'https://idp.example/authorize', attempt: { verifier: 'v', state: 's', nonce: 'n' } }),
  finish: () => Promise.reject(new Error('nobody comes back')),
};

describe('who may call the uptime monitor', () => {
  let idp: TestIdp;
  let monitor: TestMonitor;
  let verifier: TokenVerifier;
  let callers: Awaited<ReturnType<typeof everyCaller>>;
  before(async () => {
    idp = await startIdp();
    callers = await everyCaller(idp, 'monitor');
    verifier = createTokenVerifier({ idpUrl: idp.issuer, audience: 'monitor', revocations: { internalKey: KEY } });
    const internalKey = createInternalKeyAuth({
      key: KEY,
      org: 'platform',
      equalsSecret: (one, other) => one === other,
    });
    monitor = await startMonitor({
      key: KEY,
      authenticate: createTokenAuth({ internalKey, verifier, platformOrg: 'platform' }),
      signIn: () => ({ login: LOGIN }),
      protectedResource: { issuer: idp.issuer, publicUrl: null },
    });
  });
  after(async () => {
    verifier.close();
    await monitor.stop();
    await idp.stop();
  });

  it('each route lets in whom its row names: the platform, and people of an org by their role', async () => {
    await assertAnswers(monitor.address, callers, TABLE);
  });

  it('no route is left out, and the document names the credentials of each', async () => {
    await assertDocumented(monitor.address, TABLE);
  });
});
