import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NOTHING_RECORDED, planBuild } from '../../../api/deploys/plan-build.ts';
import { DOCKER_INSTALLATION } from '../../../domain/deploys/plan.ts';
import { planBodySchema, planReplySchema } from '../../../domain/deploys/plan-schema.ts';
import type { RuntimeName } from '../../../domain/deploys/runtime-capabilities.ts';

const planOn = (runtime: RuntimeName) => {
  const installation = { ...DOCKER_INSTALLATION, runtime };
  const variables = { config: {}, secrets: {}, ownSecrets: {} };
  const options = { enforceMinimumVersion: false, installation, variables, record: NOTHING_RECORDED };
  return planReplySchema.parse(planBuild(planBodySchema.parse({ service: 'shop' }), options));
};

it('a plan says what a cluster does otherwise than the container engine, and runs the same steps', () => {
  const [engine, cluster] = [planOn('docker'), planOn('kubernetes')];
  assert.equal(engine.runtime, undefined);
  assert.equal(cluster.runtime?.name, 'kubernetes');
  assert.match(cluster.runtime?.differences.join('\n') ?? '', /stderr from stdout.*CPU limit/s);
  assert.deepEqual(cluster.steps, engine.steps);
});
