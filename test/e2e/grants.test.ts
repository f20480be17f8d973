import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BlockedGrant } from '../../activities/deploys/dependency-grants.ts';
import { runCli } from '../cli/run-cli.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  api,
  type Build,
  completed,
  connection,
  createService,
  ended,
  removeService,
  trigger,
  uniqueName,
  visit,
} from './harness.ts';
import { type AppOptions, type SampleService, sampleService, temporalClient } from './sample-service.ts';

/** A service that wants scopes of a service of another org, on the whole stack. */
describe('scopes of a service of another org', { timeout: 300_000 }, () => {
  const notes = uniqueName('notes');
  let app: AppOptions;
  let shop: SampleService;
  let grantId: string;
  before(async () => {
    await createService(notes, { org: 'writers-e2e' });
    app = {
      spec: `  auth: { mode: service-only }\n  dependencies: [{ service: ${notes}, scopes: [read] }]`,
      computes: `await (await fetch(process.env.IDP_URL + '/api/oauth/token', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          grant_type: 'client_credentials',
          client_id: process.env.IDP_CLIENT_ID,
          client_secret: process.env.IDP_CLIENT_SECRET,
          scope: '${notes}:read',
        }),
      })).json()`,
    };
    shop = await sampleService('shop', app);
  });
  after(async () => {
    await shop[Symbol.asyncDispose]();
    await removeService(notes);
  });

  const blockedGrants = (build: Build) => build.blockedGrants as readonly BlockedGrant[];
  /** What the provider answers the service that asks for a token with the scope. */
  const asksForToken = async (): Promise<{ readonly scope?: string; readonly error?: string }> =>
    JSON.parse((await visit(shop.name)).body).computed;

  it('the first deploy asks for them and stops before anything is installed', async () => {
    const build = await ended((await trigger(shop.name)).buildId);
    assert.deepEqual(
      [build.status, build.failure?.code, build.failure?.step],
      ['failed', 'SCOPE_GRANT_BLOCKED', 'scope-grants'],
    );
    const [grant] = blockedGrants(build);
    assert.ok(grant !== undefined);
    assert.deepEqual([grant.service, grant.state, grant.scopes], [notes, 'pending', [`${notes}:read`]]);
    assert.ok(build.failure?.message.includes(`fairlead grants approve ${grant.id}`));
    assert.equal((await visit(shop.name)).status, 404);
    grantId = grant.id;
  });

  it('an operator approves by a signal, and the next deploy goes on: the service gets a token with the scope', async () => {
    await using temporal = await temporalClient();
    await temporal.client.workflow.getHandle(`grant/${shop.name}-prod/${notes}`).signal('approve', 'ada');
    await waitUntil('the approval', async () => {
      const { data } = await api<{ status: string }>('GET', `/grants/${grantId}`);
      return data.status === 'approved';
    });
    await completed((await trigger(shop.name)).buildId);
    assert.equal((await asksForToken()).scope, `${notes}:read`);
  });

  it('revoked: the next token lacks it, and the next deploy is blocked', async () => {
    const { api: url, key } = await connection();
    const { code, stderr } = await runCli({ url }, ['grants', 'revoke', grantId, '--yes'], {
      env: { FAIRLEAD_KEY: key },
    });
    assert.equal(code, 0, stderr);
    assert.equal((await asksForToken()).error, 'invalid_scope');
    await shop.commit(app);
    const build = await ended((await trigger(shop.name)).buildId);
    assert.deepEqual(
      blockedGrants(build).map(({ state }) => state),
      ['revoked'],
    );
    assert.equal((await asksForToken()).error, 'invalid_scope', 'the release before serves on');
  });
});
