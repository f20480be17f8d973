import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { buildWorkflowId } from '../../domain/deploys/messages.ts';
import { assertClean, assertFilesClean } from '../hostile/secret-places.ts';
import { collectText } from './collect-text.ts';
import { api, completed, createService, dataFolder, ended, logText, removeService, trigger, visit } from './harness.ts';
import { type AppOptions, type SampleService, sampleService, stateOf, temporalClient } from './sample-service.ts';

/** The OAuth client of a service over several deploys (spec 1, "OAuth client at deploy"), on the whole stack. */

const APP: AppOptions = {
  spec: '  auth: { mode: sso, branding: true }\n  dependencies: [{ service: mailer, scopes: [send] }]',
  shows: ['IDP_URL', 'IDP_CLIENT_ID', 'IDP_CLIENT_SECRET'],
};

interface Client {
  readonly clientId: string;
  readonly redirectUris: readonly string[];
  readonly signIn: string;
  readonly allowedScopes: readonly string[];
  readonly secrets: readonly { id: string }[];
}

interface Injected {
  readonly IDP_URL: string;
  readonly IDP_CLIENT_ID: string;
  readonly IDP_CLIENT_SECRET: string;
}

describe('a service that declares spec.auth', { timeout: 300_000 }, () => {
  let service: SampleService;
  let clientId: string;
  const builds: string[] = [];
  const secrets = new Set<string>();

  before(async () => {
    await createService('mailer', {});
    service = await sampleService('oauth', APP);
    clientId = `${service.name}-prod`;
  });
  let removed = false;
  after(async () => {
    if (!removed) await service[Symbol.asyncDispose]();
    await removeService('mailer');
  });

  const deploy = async (options: AppOptions = APP) => {
    await service.commit(options);
    const build = await completed((await trigger(service.name)).buildId);
    builds.push(build.id);
    return build;
  };
  /** What the running workload was given. */
  const injected = async (): Promise<Injected> => {
    const { body } = await visit(service.name);
    const values: Injected = JSON.parse(body);
    if (values.IDP_CLIENT_SECRET !== undefined) secrets.add(values.IDP_CLIENT_SECRET);
    return values;
  };
  const client = async (): Promise<Client> => (await api<Client>('GET', `/oauth/clients/${clientId}`)).data;
  /** Whether the identity provider gives the workload a token of its own. */
  const getsToken = async ({ IDP_URL, IDP_CLIENT_ID, IDP_CLIENT_SECRET }: Injected) => {
    const response = await fetch(`${IDP_URL}/api/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_type: 'client_credentials',
        client_id: IDP_CLIENT_ID,
        client_secret: IDP_CLIENT_SECRET,
      }),
    });
    const reply = (await response.json()) as { access_token?: string; error?: string };
    return response.status === 200 ? typeof reply.access_token === 'string' : reply.error;
  };

  it('gets a client at its first deploy, and credentials that work', async () => {
    const build = await deploy();
    assert.equal(stateOf(build, 'oauth-client'), 'completed');
    const found = await client();
    assert.deepEqual(
      found.redirectUris.map((uri) => uri.replace(/:\d+/, '')),
      ['prod.localhost', 'localhost'].map((domain) => `http://${service.name}.${domain}/api/auth/callback`),
    );
    assert.deepEqual(found.allowedScopes, ['openid', 'profile', 'email', 'mailer:send']);
    const values = await injected();
    assert.equal(values.IDP_CLIENT_ID, clientId);
    assert.equal(await getsToken(values), true);
  });

  it('a second deploy keeps the secret, and the URI and scope that were added by hand', async () => {
    const before = await injected();
    const redirectUri = 'http://localhost:3000/api/auth/callback';
    assert.equal((await api('POST', `/oauth/clients/${clientId}/redirect-uris`, { redirectUri })).status, 200);
    const allowedScopes = [...(await client()).allowedScopes, 'personas:mint'];
    assert.equal((await api('PATCH', `/oauth/clients/${clientId}`, { allowedScopes })).status, 200);
    const spec = '  auth: { mode: sso }\n  userAccess: { signIn: members }\n  modules: [orders]';
    const build = await deploy({ ...APP, spec });
    for (const step of ['modules', 'user-access', 'role-metadata'])
      assert.equal(stateOf(build, step), 'completed', step);
    const found = await client();
    assert.ok(found.redirectUris.includes(redirectUri) && found.redirectUris.length === 3);
    assert.equal(found.signIn, 'members');
    assert.deepEqual(found.allowedScopes, allowedScopes, 'the dropped dependency’s scope stays as well');
    assert.match(await logText(build.id), /Scopes kept.*mailer:send, personas:mint/);
    assert.deepEqual(await injected(), { ...before, commit: build.commitSha });
  });

  it('a client that was deleted is made anew at the next deploy, and login recovers', async () => {
    const before = await injected();
    assert.equal((await api('DELETE', `/oauth/clients/${clientId}`)).status, 200);
    assert.equal(await getsToken(before), 'invalid_client');
    const build = await deploy();
    const values = await injected();
    assert.notEqual(values.IDP_CLIENT_SECRET, before.IDP_CLIENT_SECRET);
    assert.equal(await getsToken(values), true);
    assert.equal(stateOf(build, 'oauth-client'), 'completed');
  });

  it('a rollback installs the earlier image with the credentials of today', async () => {
    const before = await injected();
    const { data } = await api<{ buildId: string }>('POST', `/services/${service.name}/rollback`, {});
    builds.push((await completed(data.buildId)).id);
    const { IDP_CLIENT_SECRET } = await injected();
    assert.equal(IDP_CLIENT_SECRET, before.IDP_CLIENT_SECRET);
  });

  it('a secret rotated through the builder arrives with the next deploy', async () => {
    const rotated = await api<{ clientSecret: string }>('POST', `/oauth/clients/${clientId}/regenerate-secret`);
    assert.equal(await getsToken(await injected()), 'invalid_client');
    await deploy();
    const values = await injected();
    assert.equal(values.IDP_CLIENT_SECRET, rotated.data.clientSecret);
    assert.equal(await getsToken(values), true);
  });

  it('a workload that prints its secret and never becomes healthy leaves it nowhere', async () => {
    const printed = await injected();
    await service.commit({ ...APP, status: 500, says: 'it is', leaks: 'IDP_CLIENT_SECRET' });
    const build = await ended((await trigger(service.name)).buildId);
    builds.push(build.id);
    assert.equal(build.failure?.code, 'HEALTH_CHECK_FAILED');
    const shown = JSON.stringify(build.diagnostics);
    assert.match(shown, /it is \[REDACTED\]/);
    assert.ok(!shown.includes(printed.IDP_CLIENT_SECRET));
  });

  it('a catalog without spec.auth gets no credentials, and IDP_URL all the same', async () => {
    const build = await deploy({ ...APP, spec: '' });
    assert.equal(stateOf(build, 'oauth-client'), 'skipped');
    const { IDP_CLIENT_ID, IDP_CLIENT_SECRET, IDP_URL } = await injected();
    assert.deepEqual([IDP_CLIENT_ID, IDP_CLIENT_SECRET], [undefined, undefined]);
    assert.match(IDP_URL, /^http/);
  });

  it('no secret is in a log of a build or of the platform, in a record, a reply or a workflow’s history', async () => {
    assert.equal(secrets.size, 3);
    const texts = await Promise.all([
      ...builds.map(logText),
      ...builds.map(async (id) => JSON.stringify(await api('GET', `/builds/${id}`))),
      api('GET', `/services/${service.name}`).then((reply) => JSON.stringify(reply)),
      api('GET', `/services/${service.name}/releases`).then((reply) => JSON.stringify(reply)),
      api('GET', `/oauth/clients/${clientId}`).then((reply) => JSON.stringify(reply)),
    ]);
    await using temporal = await temporalClient();
    for (const id of builds) {
      const history = collectText(await temporal.client.workflow.getHandle(buildWorkflowId(id)).fetchHistory());
      assert.match(history, new RegExp(service.name), 'payloads were readable');
      texts.push(history);
    }
    const values = Object.fromEntries([...secrets].map((secret, index) => [`secret ${index + 1}`, secret]));
    for (const text of texts) assertClean(text, 'what was answered, shown or recorded', values);
    assert.ok((await assertFilesClean(join(dataFolder(), 'logs'), values)) > 0, 'there are logs');
  });

  it('what the platform injects cannot be configured by hand', async () => {
    for (const name of ['IDP_CLIENT_ID', 'IDP_CLIENT_SECRET', 'IDP_URL']) {
      for (const group of ['config', 'secrets']) {
        const { status, error } = await api('POST', '/services', { name: service.name, [group]: { [name]: 'x' } });
        assert.deepEqual([status, error.code], [400, 'RESERVED_ENV_VAR'], `${group} ${name}`);
      }
    }
  });

  it('deleting the service deletes its client and ends its tokens', async () => {
    const values = { ...(await injected()), IDP_CLIENT_ID: clientId, IDP_CLIENT_SECRET: [...secrets].at(-1) ?? '' };
    assert.equal(await getsToken(values), true);
    await service[Symbol.asyncDispose]();
    removed = true;
    assert.equal((await api('GET', `/oauth/clients/${clientId}`)).status, 404);
    assert.equal(await getsToken(values), 'invalid_client');
  });
});
