import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BlockedGrant } from '../../activities/deploys/dependency-grants.ts';
import { runCli } from '../cli/run-cli.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type Build, completed, connection, ended, getBuild, trigger, visit } from './harness.ts';
import { makeOrg } from './make-org.ts';
import { type AppOptions, type SampleService, sampleService } from './sample-service.ts';
import { signalWorkflow } from './signal-workflow.ts';

/** By the keys of the provider: whose the token is that came with the request, and its scopes. */
const VERIFIES = `(async () => {
  const [head, body, signature] = (request.headers.authorization ?? '').replace('Bearer ', '').split('.');
  if (signature === undefined) return null;
  const { keys } = await (await fetch(process.env.IDP_URL + '/.well-known/jwks.json')).json();
  const of = (part) => JSON.parse(Buffer.from(part, 'base64url'));
  const { createPublicKey, verify } = await import('node:crypto');
  const key = createPublicKey({ key: keys.find(({ kid }) => kid === of(head).kid), format: 'jwk' });
  const signed = verify('RSA-SHA256', Buffer.from(head + '.' + body), key, Buffer.from(signature, 'base64url'));
  const { scope, client_id: client } = of(body);
  return signed ? { scope, client } : { refused: true };
})()`;

/** Asks for a token of its own with the scope, and calls the other service with what it got. */
const calls = (notes: string) => `(async () => {
  const token = await (await fetch(process.env.IDP_URL + '/api/oauth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      grant_type: 'client_credentials',
      client_id: process.env.IDP_CLIENT_ID,
      client_secret: process.env.IDP_CLIENT_SECRET,
      scope: '${notes}:read',
    }),
  })).json();
  if (token.error) return { error: token.error };
  const address = process.env.${notes.toUpperCase().replaceAll('-', '_')}_URL;
  const answer = await fetch(address, { headers: { authorization: 'Bearer ' + token.access_token } });
  return { status: answer.status, seen: (await answer.json()).computed };
})()`;

/** An application of two services of two orgs, one of which wants scopes of the other, on the whole stack. */
describe('scopes of a service of another org', { timeout: 400_000 }, () => {
  let app: AppOptions;
  let notes: SampleService;
  let shop: SampleService;
  let grantId: string;
  before(async () => {
    const org = await makeOrg('writers');
    // With a client of its own: only such a service reaches the provider.
    notes = await sampleService('notes', { org, spec: '  auth: { mode: service-only }', computes: VERIFIES });
    app = {
      spec: `  auth: { mode: service-only }\n  dependencies: [{ service: ${notes.name}, scopes: [read] }]`,
      computes: calls(notes.name),
    };
    shop = await sampleService('shop', app);
    await completed((await trigger(notes.name)).buildId);
  });
  after(async () => {
    await shop[Symbol.asyncDispose]();
    await notes[Symbol.asyncDispose]();
  });

  const blockedGrants = (build: Build) => build.blockedGrants as readonly BlockedGrant[];
  const seen = async (): Promise<unknown> => JSON.parse((await visit(shop.name)).body).computed;
  const fairlead = async (...argv: string[]) => {
    const { api: url, key } = await connection();
    return await runCli({ url }, argv, { env: { FAIRLEAD_KEY: key } });
  };
  it('the first deploy asks for them and stops before anything is installed', async () => {
    const build = await ended((await trigger(shop.name)).buildId);
    assert.deepEqual(
      [build.status, build.failure?.code, build.failure?.step],
      ['failed', 'SCOPE_GRANT_BLOCKED', 'scope-grants'],
    );
    const [grant] = blockedGrants(build);
    assert.ok(grant !== undefined);
    assert.deepEqual([grant.service, grant.state, grant.scopes], [notes.name, 'pending', [`${notes.name}:read`]]);
    assert.ok(build.failure?.message.includes(`fairlead grants approve ${grant.id}`));
    assert.equal((await visit(shop.name)).status, 404);
    grantId = grant.id;
  });

  it('a deploy that waits goes on by itself once an operator approves: one service calls the other with its own token', async () => {
    const { buildId } = await trigger(shop.name, { waitForGrants: true, waitForGrantsSeconds: 600 });
    await waitUntil('the build to wait', async () => (await getBuild(buildId)).waiting !== null);
    assert.deepEqual(
      blockedGrants(await getBuild(buildId)).map(({ id, state }) => [id, state]),
      [[grantId, 'pending']],
    );
    assert.match((await fairlead('builds', shop.name)).stdout, /waits for grants/);
    assert.equal((await visit(shop.name)).status, 404);
    await signalWorkflow(`grant/${shop.name}-prod/${notes.name}`, 'approve', 'ada');
    const build = await completed(buildId);
    assert.deepEqual([build.waiting, build.blockedGrants], [null, []]);
    assert.equal((await visit(notes.name)).status, 200);
    const token = { scope: `${notes.name}:read`, client: `${shop.name}-prod` };
    assert.deepEqual(await seen(), { status: 200, seen: token });
  });

  it('revoked: the next token lacks it, and the next deploy is blocked, also one that would wait', async () => {
    const { code, stderr } = await fairlead('grants', 'revoke', grantId, '--yes');
    assert.equal(code, 0, stderr);
    // No wait: the answer to the revocation says that the next token lacks it.
    assert.deepEqual(await seen(), { error: 'invalid_scope' });
    await shop.commit(app);
    const build = await ended((await trigger(shop.name, { waitForGrants: true })).buildId);
    assert.deepEqual(
      blockedGrants(build).map(({ state }) => state),
      ['revoked'],
    );
    assert.deepEqual(await seen(), { error: 'invalid_scope' }, 'the release before serves on');
  });
});
