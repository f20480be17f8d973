import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildImage } from '../../../../activities/deploys/steps/build-image.ts';
import { pushImage } from '../../../../activities/deploys/steps/push-image.ts';
import type { BuildFacts } from '../../../../domain/deploys/facts.ts';
import type { ImageBuildInput } from '../../../../domain/deploys/ports.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { catalogRecord } from '../../../ports/records.ts';
import { useDeploy } from '../use-deploy.ts';

const TAG = 'localhost:5050/hello:prod-ccccccc-1';
const OK = 'FROM alpine\nCOPY run /run\nUSER 1001\nCMD ["/run"]\n';

/** A build whose source has a program and this container file, in a context of its own. */
async function withContainerFile(text = OK) {
  const deploy = await useDeploy();
  deploy.plant('app/run', '#!/bin/sh');
  deploy.plant('app/.fairlead/Dockerfile', text);
  const facts: BuildFacts = {
    workDir: deploy.parts.workspace.directory(deploy.build.buildId),
    contextPath: 'app',
    dockerfile: 'app/.fairlead/Dockerfile',
    imageTag: TAG,
    commitSha: 'c'.repeat(40),
  };
  return { ...deploy, facts };
}

describe('image-build', () => {
  it('builds the context under the tag of the build, and shows the output', async () => {
    const { parts, attempt, facts } = await withContainerFile();
    const step = attempt(facts);
    assert.deepEqual(await buildImage(parts, step), {});
    assert.ok(step.lines.includes('COPY run /run'));
    await pushImage(parts, attempt(facts));
  });

  it('hands over absolute paths, whose build it is, and the commit as a label where there is one', async () => {
    const { parts, attempt, facts, build } = await withContainerFile();
    const inputs: ImageBuildInput[] = [];
    const images = {
      ...parts.images,
      build: async (input: ImageBuildInput) => ({ imageId: String(inputs.push(input)) }),
    };
    await buildImage({ ...parts, images }, attempt(facts));
    const { commitSha: _, ...uploaded } = facts;
    await buildImage({ ...parts, images }, attempt(uploaded));
    await buildImage({ ...parts, images }, attempt({ ...uploaded, monorepoPath: '' }));
    const { buildId, service, environment } = build;
    const expected = {
      ...{ buildId, service, environment, tag: TAG },
      contextDirectory: `${facts.workDir}/app`,
      dockerfile: `${facts.workDir}/app/.fairlead/Dockerfile`,
    };
    const labels = { 'org.opencontainers.image.revision': 'c'.repeat(40) };
    assert.deepEqual(inputs, [
      { ...expected, labels, secrets: {} },
      { ...expected, labels: {}, secrets: {} },
      { ...expected, contextDirectory: facts.workDir, labels: {}, secrets: {} },
    ]);
  });

  it('hands over the build-time variables under the id that the container file mounts, as they are now', async () => {
    const { parts, attempt, facts, build } = await withContainerFile();
    const secret = parts.cipher.seal('canary-value', { service: build.service, key: 'NPM_TOKEN' });
    await parts.services.upsert(
      { id: build.serviceId, name: build.service, org: 'acme' },
      { secrets: { NPM_TOKEN: secret } },
    );
    const given: ImageBuildInput['secrets'][] = [];
    const images = {
      ...parts.images,
      build: async ({ secrets }: ImageBuildInput) => ({ imageId: String(given.push(secrets)) }),
    };
    const catalog = catalogRecord({ buildEnvVars: ['NPM_TOKEN'] });
    await buildImage({ ...parts, images }, attempt({ ...facts, catalog, buildEnvId: 'build-env-1' }));
    assert.deepEqual(given, [{ 'build-env-1': 'NPM_TOKEN=canary-value\n' }]);
  });

  it('a second attempt gives the same image', async () => {
    const { parts, attempt, facts } = await withContainerFile();
    await buildImage(parts, attempt(facts));
    const first = await pushImage(parts, attempt(facts));
    await buildImage(parts, attempt(facts));
    assert.deepEqual(await pushImage(parts, attempt(facts)), first);
  });

  it('what the builder refuses ends the build with its code and words', async () => {
    for (const [text, code, message] of [
      ['FROM alpine\nRUN echo what-went-wrong && exit 7\n', 'IMAGE_BUILD_FAILED', /Line 2.*\nwhat-went-wrong/s],
      ['FROM alpine\nCOPY nowhere /\n', 'IMAGE_BUILD_FAILED', /nowhere/],
      ['FROM unknown.example/base:1\n', 'BASE_IMAGE_UNAVAILABLE', /base:1/],
    ] as const) {
      const { parts, attempt, facts } = await withContainerFile(text);
      await assert.rejects(buildImage(parts, attempt(facts)), { code, message, retryable: false }, code);
    }
  });

  it('a full disk and an engine that is away keep their codes', async () => {
    const { attempt, facts, parts } = await withContainerFile();
    for (const failure of [
      new FairleadError('DISK_FULL', 'Building the image: no space left'),
      new FairleadError('UNAVAILABLE', 'The engine does not answer', { retryable: true }),
    ]) {
      const images = { ...parts.images, build: () => Promise.reject(failure) };
      await assert.rejects(buildImage({ ...parts, images }, attempt(facts)), (error) => error === failure);
    }
  });

  it('a build that is aborted while it runs ends with the reason', async () => {
    const { parts, attempt, facts } = await withContainerFile('FROM alpine\nRUN sleep 1000\n');
    const abort = new AbortController();
    const running = buildImage(parts, attempt(facts, abort.signal));
    abort.abort(new Error('cancelled'));
    await assert.rejects(running, /cancelled/);
  });

  it('without the facts of earlier steps it is INTERNAL and names them', async () => {
    const { parts, attempt } = await withContainerFile();
    const missing = { code: 'INTERNAL', message: /workDir, contextPath, dockerfile, imageTag/ };
    await assert.rejects(buildImage(parts, attempt({})), missing);
  });
});
