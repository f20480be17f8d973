import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildImage } from '../../../../activities/deploys/steps/build-image.ts';
import { pushImage } from '../../../../activities/deploys/steps/push-image.ts';
import type { BuildFacts } from '../../../../domain/deploys/facts.ts';
import type { ImageBuildInput } from '../../../../domain/deploys/image-builder.ts';
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
    const { buildId, org, service, environment } = build;
    const expected = {
      ...{ buildId, org, service, environment, tag: TAG },
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

  describe('the lockfile that the install wrote', () => {
    const newLockfile = '/lockfile/package-lock.json';
    const LOCK = `${OK.replace('USER', 'COPY lock /lockfile/package-lock.json\nUSER')}`;

    async function withLock(text: string) {
      const deploy = await withContainerFile(LOCK);
      deploy.plant('app/lock', text);
      return { ...deploy, facts: { ...deploy.facts, newLockfile } };
    }

    it('is kept with the build, and the log says how its author gets it', async () => {
      const { parts, attempt, facts, build } = await withLock('{"lockfileVersion":3}');
      const step = attempt(facts);
      const { buildId } = build;
      assert.deepEqual(await buildImage(parts, step), { lockfile: { name: 'package-lock.json', buildId } });
      const kept = { name: 'package-lock.json', text: '{"lockfileVersion":3}' };
      assert.deepEqual(await parts.builds.lockfileOf(buildId), kept);
      assert.match(step.lines.join('\n'), new RegExp(`fairlead lockfile ${buildId} --write`));
      assert.deepEqual(step.warnings, []);
    });

    it('that settings forbid is nothing to tell of', async () => {
      const { parts, attempt, facts } = await withContainerFile();
      const step = attempt({ ...facts, newLockfile });
      assert.deepEqual(await buildImage(parts, step), {});
      assert.deepEqual(step.warnings, []);
    });

    it('is not kept, with a warning, where it shows a password', async () => {
      for (const address of ['https://me:hunter2@npm.example/a.tgz', 'https://ghp-token@npm.example/a.tgz']) {
        const { parts, attempt, facts, build } = await withLock(`{"lockfileVersion":3,"resolved":"${address}"}`);
        const step = attempt(facts);
        assert.deepEqual(await buildImage(parts, step), {});
        assert.equal(await parts.builds.lockfileOf(build.buildId), null);
        assert.match(step.warnings.join(), /package-lock\.json.* is not kept/);
        assert.doesNotMatch(step.warnings.join(), /hunter2|ghp-token/);
      }
    });

    /** What the step does with this in a lockfile, of a service with a secret, two variables, and a token of its registry. */
    async function withVariables(text: string) {
      const { parts, attempt, facts, build } = await withLock(JSON.stringify({ lockfileVersion: 3, text }));
      const sealed = (key: string, value: string) => ({
        [key]: parts.cipher.seal(value, { service: build.service, key }),
      });
      const secrets = { ...sealed('DATABASE', 'canary+path'), ...sealed('REGISTRY', 'canary-token') };
      const config = { CI: 'true', COLOUR: 'blue', PASSWORD: 'canary-word' };
      const own = { id: build.serviceId, name: build.service, org: 'acme' };
      await parts.services.upsert(own, { secrets, config });
      const catalog = catalogRecord({ buildEnvVars: ['DATABASE', 'REGISTRY', 'CI', 'COLOUR', 'PASSWORD'] });
      const step = attempt({ ...facts, catalog, buildEnvId: 'build-env-1', registryVariables: ['REGISTRY'] });
      return { given: await buildImage(parts, step), warnings: step.warnings.join() };
    }

    it('is not kept where it shows what the install was given: secrets in any form, other variables with their names', async () => {
      for (const shown of [
        '/canary+path/a',
        'canary%2Bpath',
        'canary-token',
        'canary-word',
        'CI=true',
        'COLOUR=blue',
      ]) {
        const { given, warnings } = await withVariables(shown);
        assert.deepEqual(given, {}, shown);
        assert.match(warnings, /is not kept: it shows a secret/);
        assert.doesNotMatch(warnings, /canary/);
      }
    });

    it('is kept where it has a word that is the plain value of a variable as well', async () => {
      const { given, warnings } = await withVariables('true, and blue');
      assert.notEqual(given.lockfile, undefined, warnings);
    });

    it('is not kept where a script has put another file in its place', async () => {
      for (const text of ['COLOUR=blue\n', '{"a":1}', '-----BEGIN CERTIFICATE-----', '']) {
        const { parts, attempt, facts, build } = await withLock(text);
        const step = attempt(facts);
        assert.deepEqual(await buildImage(parts, step), {});
        assert.equal(await parts.builds.lockfileOf(build.buildId), null);
        assert.match(step.warnings.join(), /package-lock\.json.* is not kept: it is no lockfile/);
      }
    });

    it('that cannot be read or kept ends no build, and a cancelled one ends with its reason', async () => {
      const { parts, attempt, facts } = await withLock('{}');
      const away = new FairleadError('UNAVAILABLE', 'The engine does not answer', { retryable: true });
      const images = { ...parts.images, readText: () => Promise.reject(away) };
      const step = attempt(facts);
      assert.deepEqual(await buildImage({ ...parts, images }, step), {});
      assert.match(step.warnings.join(), /could not be kept: The engine does not answer/);
      const abort = new AbortController();
      const cancelling = {
        ...parts.images,
        readText: () => {
          abort.abort(new Error('cancelled'));
          return Promise.reject(away);
        },
      };
      await assert.rejects(buildImage({ ...parts, images: cancelling }, attempt(facts, abort.signal)), /cancelled/);
    });
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

  it('a build that failed names the container file of its author that was not used', async () => {
    const { parts, attempt, facts } = await withContainerFile('FROM alpine\nRUN exit 7\n');
    const said = /The repository has a Dockerfile of its own, which was not used: .*platform\.io\/dockerfile/;
    const unused = { ...facts, unusedContainerFile: 'Dockerfile' };
    await assert.rejects(buildImage(parts, attempt(unused)), { code: 'IMAGE_BUILD_FAILED', message: said });
    const error = await buildImage(parts, attempt(facts)).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof FairleadError && !said.test(error.message));
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
