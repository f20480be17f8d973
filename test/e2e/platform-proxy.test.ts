import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runCli } from '../cli/run-cli.ts';
import { completed, connection, logText, parts, trigger, visit } from './harness.ts';
import { type SampleService, sampleService } from './sample-service.ts';

/** What the container does with the variables that it was given, and with an address of the machine that it was not. */
const inside = (elsewhere: string) => `await (async () => {
  const { IDP_URL, IDP_CLIENT_ID, IDP_CLIENT_SECRET, AUDIT_URL } = process.env;
  const json = { 'content-type': 'application/json' };
  const reply = await fetch(IDP_URL + '/api/oauth/token', { method: 'POST', headers: json, body: JSON.stringify({
    grant_type: 'client_credentials', client_id: IDP_CLIENT_ID, client_secret: IDP_CLIENT_SECRET, audience: 'audit-ledger',
  }) });
  const token = (await reply.json()).access_token;
  const { issuer } = await (await fetch(IDP_URL + '/.well-known/openid-configuration')).json();
  const { keys } = await (await fetch(IDP_URL + '/.well-known/jwks.json')).json();
  const emitted = await fetch(AUDIT_URL + '/v1/events/emit', {
    method: 'POST', headers: { ...json, authorization: 'Bearer ' + token },
    body: JSON.stringify({ eventType: 'order.placed', entityId: process.env.SERVICE_NAME ?? 'order', data: {} }),
  });
  const outbox = (await fetch(IDP_URL + '/outbox')).status;
  const elsewhere = await fetch('${elsewhere}').then((answer) => answer.status, () => 'refused');
  return { issuer: issuer === IDP_URL, keys: keys.length > 0, token: reply.status, emitted: emitted.status, outbox, elsewhere };
})()`;

/** A service with spec.auth on the embedded stack, where the platform listens on the machine's loopback alone. */
describe('inside the container of a service with credentials', { timeout: 300_000 }, () => {
  let service: SampleService;
  before(async () => {
    // The builder listens there as well, and is no service that workloads are given.
    const { api } = await connection();
    service = await sampleService('proxied', {
      spec: '  auth: { mode: service-only }',
      computes: inside(`${api}/health`),
    });
  });
  after(() => service[Symbol.asyncDispose]());

  it('the provider and the ledger answer at the addresses it was given, and nothing else of the machine does', async () => {
    const build = await completed((await trigger(service.name)).buildId);
    assert.doesNotMatch(await logText(build.id), /cannot reach the identity provider/);
    const { computed } = JSON.parse((await visit(service.name)).body);
    assert.deepEqual(computed, {
      ...{ issuer: true, keys: true, token: 200, emitted: 201, elsewhere: 'refused' },
      outbox: 404,
    });
  });

  it('what it told the ledger is there, by its own name', async () => {
    const { api: url, key } = await connection();
    const ledger = (await parts())['audit-ledger']?.address ?? '';
    const env = { FAIRLEAD_KEY: key, FAIRLEAD_AUDIT_URL: ledger };
    const { stdout, stderr } = await runCli({ url }, ['audit', 'events', '--type', 'order.placed', '--json'], { env });
    assert.match(stdout, new RegExp(`"namespace":"${service.name}"`), stderr);
  });
});
