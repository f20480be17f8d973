import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { failOpen } from '../../../activities/deploys/fail-open.ts';
import type { BuildFailure } from '../../../domain/deploys/build.ts';
import { buildRecord, buildRequest, stepOf } from '../../ports/records.ts';
import { createInMemoryBuildLog } from '../../support/in-memory/build-log.ts';
import { createInMemoryBuildStore } from '../../support/in-memory/build-store.ts';

const AT = new Date('2026-01-01T00:00:00Z');
const now = () => AT;

describe('a step that fails open', () => {
  const request = buildRequest({ buildId: 'bld_open' });
  const step = { ...stepOf('snapshot'), title: 'Deploy snapshot' };
  const failure: BuildFailure = { code: 'UNAVAILABLE', message: 'the registry is away', step: 'snapshot' };
  const warning = 'Deploy snapshot failed [UNAVAILABLE]; the build continues without it: the registry is away';
  let deps: Parameters<typeof failOpen>[0];

  beforeEach(async () => {
    deps = { builds: createInMemoryBuildStore({ now }), log: createInMemoryBuildLog({ now }), now };
    await deps.builds.create(buildRecord({ id: 'bld_open' }));
    await deps.builds.markStep('bld_open', step, { state: 'running', startedAt: AT });
  });

  it('is warned, and the build says why', async () => {
    await failOpen(deps, { build: request, step, failure });
    const record = await deps.builds.find('bld_open');
    const shown = record?.steps.find(({ key }) => key === 'snapshot');
    assert.equal(shown?.state, 'warned');
    assert.deepEqual(shown?.finishedAt, AT);
    assert.deepEqual(shown?.warnings, [warning]);
    assert.deepEqual(record?.warnings, [warning]);
  });

  it('is told once in the log, however often the record is written', async () => {
    for (let attempt = 0; attempt < 3; attempt += 1) await failOpen(deps, { build: request, step, failure });
    const lines = await deps.log.read('bld_open', 0, 100);
    assert.deepEqual(
      lines.map(({ level, text }) => ({ level, text })),
      [{ level: 'warn', text: warning }],
    );
    assert.deepEqual((await deps.builds.find('bld_open'))?.warnings, [warning]);
  });

  it('of a build that has ended changes nothing', async () => {
    const end = { status: 'failed', reason: 'cancelled', failure: null, supersededBy: null, finishedAt: AT } as const;
    await deps.builds.finish('bld_open', end);
    const before = await deps.builds.find('bld_open');
    await failOpen(deps, { build: request, step, failure });
    assert.deepEqual(await deps.builds.find('bld_open'), before);
  });
});
