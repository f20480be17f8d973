import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { runCli } from '../cli/run-cli.ts';
import { waitUntil } from '../support/wait-until.ts';
import { api, type Build, completed, connection, createService, ended, parts, trigger } from './harness.ts';
import { type SampleService, sampleService } from './sample-service.ts';

/** What the platform itself records in the audit ledger, read by the command line, on the whole stack. */

const eventSchema = z.looseObject({
  id: z.string(),
  eventType: z.string(),
  namespace: z.string(),
  entityId: z.string(),
  orgSlug: z.string(),
  data: z.record(z.string(), z.unknown()),
  metadata: z.record(z.string(), z.unknown()),
});
const pageSchema = z.object({ success: z.literal(true), data: z.looseObject({ events: z.array(eventSchema) }) });

type AuditEvent = z.infer<typeof eventSchema>;

describe('the platform’s own audit events', { timeout: 300_000 }, () => {
  let service: SampleService;
  let deployed: Build;
  before(async () => {
    service = await sampleService('audit', { spec: '  auth: { mode: service-only }' });
    deployed = await completed((await trigger(service.name)).buildId);
  });
  after(() => service[Symbol.asyncDispose]());

  async function cli(...args: string[]) {
    const { api: url, key } = await connection();
    const ledger = (await parts())['audit-ledger']?.address ?? '';
    return runCli({ url }, ['audit', ...args], { env: { FAIRLEAD_KEY: key, FAIRLEAD_AUDIT_URL: ledger } });
  }
  /** Oldest first. */
  async function eventsOf(entityId: string, ...filters: string[]): Promise<AuditEvent[]> {
    const { code, stdout, stderr } = await cli('events', '--entity', entityId, ...filters, '--json');
    assert.equal(code, 0, stderr + stdout);
    return pageSchema.parse(JSON.parse(stdout)).data.events.toReversed();
  }
  const arrived = (entityId: string, type: string): Promise<AuditEvent> =>
    waitUntil(`${type} of ${entityId}`, async () => (await eventsOf(entityId, '--type', type))[0], {
      withinMs: 30_000,
      everyMs: 500,
    });

  it('a deploy adds an event with release, commit and requester, after the event of its namespace', async () => {
    const event = await arrived(service.name, 'service.deployed');
    assert.deepEqual([event.namespace, event.orgSlug], ['builder', 'platform']);
    const { id: buildId, commitSha: commit, imageDigest, releaseId, url } = deployed;
    assert.deepEqual(event.data, {
      ...{ buildId, service: service.name, environment: 'prod', org: 'platform', kind: 'deploy' },
      ...{ commit, imageDigest, releaseId, url },
    });
    assert.equal(event.metadata.actor, 'internal');
    assert.match(String(event.metadata.requestId), /^req_/);
    // That it was registered is told by the builder, beside what its worker tells: these two come in their order.
    assert.equal((await arrived(service.name, 'service.registered')).metadata.actor, 'internal');
    const types = (await eventsOf(service.name)).map(({ eventType }) => eventType);
    assert.deepEqual(
      types.filter((type) => type !== 'service.registered'),
      ['namespace.created', 'service.deployed'],
    );
  });

  it('a second deploy adds its own event, and none of the namespace', async () => {
    await service.commit({ spec: '  auth: { mode: service-only }' });
    await completed((await trigger(service.name)).buildId);
    const deploys = await waitUntil(
      'two deploys',
      async () => {
        const found = await eventsOf(service.name, '--type', 'service.deployed');
        return found.length === 2 ? found : null;
      },
      { withinMs: 30_000, everyMs: 500 },
    );
    assert.notEqual(deploys[0]?.data.buildId, deploys[1]?.data.buildId);
    const [only, ...rest] = await eventsOf(service.name, '--type', 'namespace.created');
    assert.deepEqual(rest, []);
    assert.deepEqual(only?.data, { namespace: `${service.name}-prod`, service: service.name, environment: 'prod' });
  });

  it('the identity provider adds an event of the OAuth client of the deploy', async () => {
    const clientId = `${service.name}-prod`;
    const event = await arrived(clientId, 'oauth.client_created');
    assert.deepEqual([event.namespace, event.orgSlug], ['identity', 'platform']);
    assert.equal(event.data.org, 'platform');
    assert.equal(typeof event.metadata.actor, 'string');
    const redirectUri = 'http://localhost:3000/api/auth/callback';
    assert.equal((await api('POST', `/oauth/clients/${clientId}/redirect-uris`, { redirectUri })).status, 200);
    const added = await arrived(clientId, 'oauth.client_redirect_uri_added');
    assert.equal(added.data.redirectUri, redirectUri);
  });

  it('a failed build adds an event with step and code, and without output', async () => {
    await service.commit({ instructions: 'RUN echo canary-of-the-output && exit 7' });
    const build = await ended((await trigger(service.name)).buildId);
    const { data, orgSlug } = await arrived(service.name, 'build.failed');
    assert.equal(orgSlug, 'platform');
    assert.deepEqual([data.buildId, data.step, data.code], [build.id, 'image-build', build.failure?.code]);
    assert.ok(!JSON.stringify(await eventsOf(service.name)).includes('canary-of-the-output'));
  });

  it('events of a service belong to the org that owns it', async () => {
    const name = `${service.name}-of-tenant`;
    await createService(name, { org: 'tenant', gitUrl: service.repository.path, branch: 'main' });
    try {
      // The catalog there names another service.
      const build = await ended((await trigger(name)).buildId);
      const { data, orgSlug } = await arrived(name, 'build.failed');
      assert.equal(orgSlug, 'tenant');
      assert.deepEqual([data.step, data.code], ['catalog', build.failure?.code]);
    } finally {
      await api('DELETE', `/services/${name}`);
    }
  });

  it('the history of the service is valid, by the command line as well', async () => {
    const { code, stdout } = await cli('verify-entity', service.name);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /holds/);
  });
});
