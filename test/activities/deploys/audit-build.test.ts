import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { auditBuild, type BuildEnd } from '../../../activities/deploys/audit-build.ts';
import type { PlatformEvent } from '../../../domain/audit/platform-audit.ts';
import type { BuildFailure, BuildRequest } from '../../../domain/deploys/build.ts';

const build: BuildRequest = {
  buildId: 'bld_1',
  kind: 'deploy',
  serviceId: 'svc_1',
  service: 'shop',
  environment: 'prod',
  org: 'acme',
  source: { kind: 'git', url: 'https://example.org/shop.git', branch: null, commit: null },
  requestedBy: 'usr_1',
  requestId: 'req_1',
  requestedAt: '2026-11-21T10:00:00.000Z',
  resume: null,
  releaseId: null,
};
const failure: BuildFailure = { code: 'IMAGE_BUILD_FAILED', message: 'npm ci: token=hunter2', step: 'image-build' };

describe('what the audit ledger is told of a build', () => {
  async function told(end: Partial<BuildEnd>): Promise<PlatformEvent[]> {
    const events: PlatformEvent[] = [];
    const input: BuildEnd = {
      build,
      status: 'failed',
      reason: null,
      failure: null,
      ...end,
    };
    await auditBuild({ audit: { record: async (event) => void events.push(event) } }, input, null);
    return events;
  }

  it('service.deployed for a build that is live, under a key that a repetition has as well', async () => {
    const [event, ...rest] = await told({ status: 'completed' });
    assert.deepEqual(rest, []);
    assert.equal(event?.eventType, 'service.deployed');
    assert.equal(event?.entityId, 'shop');
    assert.equal(event?.key, 'service.deployed/bld_1');
    assert.equal(event?.data.org, 'acme');
    assert.deepEqual(event?.metadata, { actor: 'usr_1', requestId: 'req_1' });
  });

  it('build.failed with step and code, and without the message, which may quote the output', async () => {
    const [event] = await told({ reason: 'step_failed', failure });
    assert.equal(event?.eventType, 'build.failed');
    assert.equal(event?.data.step, 'image-build');
    assert.equal(event?.data.code, 'IMAGE_BUILD_FAILED');
    assert.ok(!JSON.stringify(event).includes('hunter2'));
  });

  it('nothing for a build that was cancelled or superseded, and nothing where there is no ledger', async () => {
    for (const reason of ['cancelled', 'superseded'] as const) assert.deepEqual(await told({ reason, failure }), []);
    await auditBuild({ audit: null }, { build, status: 'completed', reason: null, failure: null }, null);
  });
});
