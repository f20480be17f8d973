import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { checkSources } from '../../../domain/deploys/container-file/check-sources.ts';
import { recordingContext } from '../../ports/workload-runtime.ts';
import { createTestStack, type TestStack } from './engine-fixture.ts';

describe('what a build keeps for the next one', () => {
  let stack: TestStack;
  before(async () => {
    stack = await createTestStack();
  });
  after(() => stack.dispose());

  /** Builds for a service, whose container file asks for the cache of npm; returns what it found there. */
  async function found(cacheScope: string, leaves: string): Promise<string | null> {
    const mount = '--mount=type=cache,id=npm,target=/caches/packages,sharing=locked';
    const text = `FROM alpine\nRUN ${mount} cat /caches/packages/kept; echo in""stalled by ${leaves} > /caches/packages/kept\n`;
    const { address } = stack.registry;
    const policy = { registry: address, repository: `${address}/a`, cacheScope, fileName: 'Dockerfile' };
    const input = await stack.input('caching', { Dockerfile: checkSources(text, policy).text });
    const context = recordingContext();
    await stack.builder.build(input, context);
    return context.lines.join('\n').match(/\binstalled by (\w+)/)?.[1] ?? null;
  }

  it('is there for the next build of the service, and for none of another service or environment', async () => {
    const service = `svc_${randomBytes(8).toString('hex')}`;
    assert.equal(await found(`${service}/prod`, 'first'), null);
    assert.equal(await found(`${service}/prod`, 'second'), 'first');
    assert.equal(await found(`${service}/uat`, 'third'), null);
    assert.equal(await found(`svc_${randomBytes(8).toString('hex')}/prod`, 'fourth'), null);
  });
});
