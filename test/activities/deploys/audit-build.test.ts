import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { auditBuild, type BuildEnd } from '../../../activities/deploys/audit-build.ts';
import type { AuditEvent } from '../../../domain/audit/audit-event.ts';
import type { BuildFailure } from '../../../domain/deploys/build.ts';
import { buildRequest } from '../../ports/records.ts';
import { createInMemoryServiceStore } from '../../support/in-memory/service-store.ts';

const build = buildRequest({
  ...{ buildId: 'bld_1', serviceId: 'svc_1', service: 'shop', org: 'acme' },
  ...{ requestedBy: 'usr_1', requestId: 'req_1' },
});
const failure: BuildFailure = { code: 'IMAGE_BUILD_FAILED', message: 'npm ci: token=hunter2', step: 'image-build' };

describe('what the audit ledger is told of a build', () => {
  const services = createInMemoryServiceStore({ now: () => new Date() });
  before(() => services.upsert({ id: 'svc_1', name: 'shop', org: 'owner' }, {}));

  async function told(end: Partial<BuildEnd>): Promise<readonly AuditEvent[]> {
    const events: AuditEvent[] = [];
    const audit = { record: async (event: AuditEvent) => void events.push(event) };
    const input: BuildEnd = { build, status: 'failed', reason: null, failure: null, ...end };
    await auditBuild({ audit, services }, input, null);
    return events;
  }

  it('service.deployed for a build that is live, under a key that a repetition has as well', async () => {
    const [event, ...rest] = await told({ status: 'completed' });
    assert.deepEqual(rest, []);
    assert.equal(event?.type, 'service.deployed');
    assert.equal(event?.subject, 'shop');
    assert.equal(event?.id, 'service.deployed/bld_1');
    assert.equal(event?.orgSlug, 'owner', 'it belongs to the owner of the service');
    assert.equal(event?.data.org, 'acme', 'whose people deployed it');
    assert.deepEqual([event?.actor, event?.requestId], ['usr_1', 'req_1']);
    assert.equal(event?.time, null, 'a repetition says the same');
  });

  it('belongs to the org that deployed it where the service is gone', async () => {
    const [event] = await told({ status: 'completed', build: { ...build, serviceId: 'svc_gone' } });
    assert.equal(event?.orgSlug, 'acme');
  });

  it('build.failed with step and code, and without the message, which may quote the output', async () => {
    const [event] = await told({ reason: 'step_failed', failure });
    assert.equal(event?.type, 'build.failed');
    assert.equal(event?.data.step, 'image-build');
    assert.equal(event?.data.code, 'IMAGE_BUILD_FAILED');
    assert.ok(!JSON.stringify(event).includes('hunter2'));
  });

  it('nothing for a build that was cancelled or superseded, and nothing where there is no ledger', async () => {
    for (const reason of ['cancelled', 'superseded'] as const) assert.deepEqual(await told({ reason, failure }), []);
    const completed = { build, status: 'completed', reason: null, failure: null } as const;
    await auditBuild({ audit: null, services }, completed, null);
  });
});
