import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { findCgroups } from '../../../adapters/docker/build-bounds/cgroups.ts';
import { buildLimits } from '../../../domain/deploys/build-limits.ts';
import type { ImageBuilder } from '../../../domain/deploys/image-builder.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { buildFailure, SMALL_IMAGE } from '../../ports/image-builder.ts';
import { recordingContext } from '../../ports/workload-runtime.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createTestBuilder, createTestStack, type TestStack } from './engine-fixture.ts';

const MIB = 1024 ** 2;
/** So small that a build which reaches them does this machine no harm. */
const LIMITS = buildLimits({ processes: 64, memoryBytes: 64 * MIB, diskBytes: 64 * MIB, builds: 2 }, totalmem());

let stack: TestStack;
let builder: ImageBuilder;

before(async () => {
  stack = await createTestStack();
  builder = await createTestBuilder(stack.stackId, stack.registry, (message) => stack.warnings.push(message), {
    limits: LIMITS,
  });
});

after(() => stack.dispose());

/** Each of them stops by itself at several times its limit. */
const HOSTILE = {
  processes: 'i=0; while [ $i -lt 400 ]; do sleep 300 & i=$((i+1)); done; wait',
  // Again and again: the first may be over before the worker has seen it.
  memory:
    'i=0; while [ $i -lt 50 ]; do dd if=/dev/zero of=/dev/null bs=256M count=1 || exit 1; sleep 0.1; i=$((i+1)); done',
  disk: 'dd if=/dev/zero of=/filler bs=1M count=400; sleep 300',
} as const;

const fileOf = (run: string) => ({ Dockerfile: `FROM alpine\nRUN echo ${Math.random()}\nRUN ${run}\n` });

async function groupsLeft(): Promise<string[]> {
  return (await (await findCgroups())?.children(`fairlead-${stack.stackId}`)) ?? [];
}

describe('RUN instructions at their limits', () => {
  for (const [limit, run] of Object.entries(HOSTILE)) {
    it(`${limit}: end their own build with a plain error, and no other`, async () => {
      const quiet = builder.build(
        await stack.input('quiet', { Dockerfile: `FROM alpine\nRUN echo ${Math.random()}; sleep 4; echo lived\n` }),
        recordingContext(),
      );
      const error = await buildFailure(builder, await stack.input('hostile', fileOf(run)));
      const bound = { processes: 64, memory: 64 * MIB, disk: 64 * MIB }[limit];
      assert.deepEqual([error.code, error.details], ['BUILD_LIMIT_EXCEEDED', { limit, bound }]);
      assert.match(
        error.message,
        /^Line 3 of the container file exceeded a limit\. The RUN instructions of a build may/,
      );
      assert.equal(error.retryable, false);
      await quiet;
      await waitUntil('the end of all groups', async () => ((await groupsLeft()).length === 0 ? true : null));
    });
  }

  it('a container file that calls itself another build stays in its bounds', async () => {
    const Dockerfile = `FROM alpine\nENV NO_PROXY=bld_other.build.invalid no_proxy=x\nRUN ${HOSTILE.processes} # ${Math.random()}\n`;
    const error = await buildFailure(builder, await stack.input('hostile', { Dockerfile }));
    assert.equal(error.code, 'BUILD_LIMIT_EXCEEDED');
  });

  it('steps that run side by side share the limits of their build', async () => {
    const stages = [1, 2, 3].map(
      (n) =>
        `FROM alpine AS s${n}\nRUN echo ${Math.random()}; i=0; while [ $i -lt 30 ]; do sleep 30 & i=$((i+1)); done; wait; touch /done\n`,
    );
    const copies = [1, 2, 3].map((n) => `COPY --from=s${n} /done /${n}\n`);
    const Dockerfile = `${stages.join('')}FROM alpine\n${copies.join('')}`;
    const error = await buildFailure(builder, await stack.input('hostile', { Dockerfile }));
    assert.deepEqual([error.code, error.details], ['BUILD_LIMIT_EXCEEDED', { limit: 'processes', bound: 64 }]);
  });

  it('the legacy builder keeps them as well', async () => {
    const cli = { path: '/usr/bin/docker', buildkit: false };
    const legacy = await createTestBuilder(stack.stackId, stack.registry, () => undefined, { cli, limits: LIMITS });
    for (const limit of ['processes', 'memory'] as const) {
      const error = await buildFailure(legacy, await stack.input('legacy', fileOf(`sleep 1; ${HOSTILE[limit]}`)));
      assert.deepEqual(
        [error.code, error.details],
        ['BUILD_LIMIT_EXCEEDED', { limit, bound: limit === 'memory' ? 64 * MIB : 64 }],
      );
    }
  });

  it('a group gets the part of the CPU that it is given, and is removed with its groups', async () => {
    const cgroups = await findCgroups();
    assert.ok(cgroups !== null);
    const path = `fairlead-${stack.stackId}/weighed`;
    await cgroups.make(path, LIMITS.ofBuild);
    const weightOf = async () => {
      const files = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'].flatMap((tree) => [
        readFile(`${tree}/${path}/cpu.shares`, 'utf8').then((text) => Number(text) / 1024),
        readFile(`${tree}/${path}/cpu.weight`, 'utf8').then((text) => Number(text) / 100),
      ]);
      return await Promise.any(files);
    };
    assert.equal(await weightOf(), 1);
    await cgroups.weigh(path, 1 / 8);
    assert.ok(Math.abs((await weightOf()) - 1 / 8) < 0.01);
    assert.equal(await cgroups.remove(path), true);
    assert.ok(!(await groupsLeft()).includes('weighed'));
  });

  it('a build that keeps its limits is built', async () => {
    await builder.build(await stack.input('small', SMALL_IMAGE), recordingContext());
    assert.deepEqual(
      stack.warnings.filter((warning) => warning.includes('bounded')),
      [],
    );
  });

  it('where control groups cannot be changed, it is said once and builds go on', async () => {
    const warnings: string[] = [];
    const onWarning = (message: string) => warnings.push(message);
    const other = await createTestBuilder(stack.stackId, stack.registry, onWarning, { cgroups: null });
    await other.build(await stack.input('small', SMALL_IMAGE), recordingContext());
    await assert.rejects(other.build(await stack.input('small', fileOf('exit 3')), recordingContext()), (error) => {
      return error instanceof FairleadError && error.code === 'IMAGE_BUILD_FAILED';
    });
    assert.equal(warnings.filter((warning) => warning.includes('bounded in time alone')).length, 1);
  });
});
