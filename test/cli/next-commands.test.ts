import assert from 'node:assert/strict';
import { it } from 'node:test';
import { nextCommands } from '../../cli/next-commands.ts';
import { type BuildReply, buildReply } from '../../cli/replies.ts';

function failed(changes: Partial<BuildReply>, code: string | null = null): BuildReply {
  return buildReply.parse({
    ...{ id: 'bld_1', service: 'hello', environment: 'uat', status: 'failed', kind: 'deploy', reason: 'step_failed' },
    createdAt: '2026-01-01T00:00:00.000Z',
    failure: code === null ? null : { code, message: 'why', step: null },
    ...changes,
  });
}

it('a retry is offered where the same source can succeed, and for what this version does not know', () => {
  for (const code of ['UNAVAILABLE', 'DISK_FULL', 'CONFIG_PREFLIGHT_FAILED', 'NEWER', null]) {
    assert.equal(nextCommands(failed({}, code)), 'fairlead logs bld_1 · fairlead retry bld_1', `${code}`);
  }
  for (const code of ['CATALOG_INVALID', 'CONTAINER_FILE_INVALID', 'CONTAINER_ROOT_USER', 'BUILD_LIMIT_EXCEEDED']) {
    assert.equal(nextCommands(failed({}, code)), 'fairlead logs bld_1 · change the source, then fairlead deploy', code);
  }
  const next = 'change the source, or give a reason: fairlead deploy --skip-convention-check "<reason>"';
  assert.equal(nextCommands(failed({}, 'CONVENTION_CHECK_FAILED')), `fairlead logs bld_1 · ${next}`);
  for (const code of ['HEALTH_CHECK_FAILED', 'IMAGE_BUILD_FAILED', 'TESTS_FAILED']) {
    const next = 'fairlead logs bld_1 · change the source or its variables, then fairlead deploy';
    assert.equal(nextCommands(failed({}, code)), next, code);
  }
});

it('no retry is offered where the platform may not read the source: what the failure names comes first', () => {
  const next = 'fairlead logs bld_1 · do what the failure says, then fairlead deploy';
  assert.equal(nextCommands(failed({ commitSha: 'abcdef1234'.repeat(4) }, 'SOURCE_REFUSED')), next);
});

it('a retry says which commit it builds again', () => {
  const next = 'fairlead logs bld_1 · fairlead retry bld_1 (builds abcdef1 again; newer code: fairlead deploy)';
  assert.equal(nextCommands(failed({ commitSha: 'abcdef1234'.repeat(4) }, 'UNAVAILABLE')), next);
});

it('a rollback is rolled back again, and a superseded build has a newer one', () => {
  const rollback = failed({ kind: 'rollback' }, 'UNAVAILABLE');
  assert.equal(nextCommands(rollback), 'fairlead logs bld_1 · fairlead rollback hello -e uat');
  assert.equal(nextCommands(failed({ reason: 'superseded' })), 'fairlead logs bld_1');
});
