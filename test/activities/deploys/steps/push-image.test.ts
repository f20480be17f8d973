import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pushImage } from '../../../../activities/deploys/steps/push-image.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { recordingContext } from '../../../ports/workload-runtime.ts';
import { createInMemoryImageBuilder } from '../../../support/in-memory/image-builder.ts';
import { useDeploy } from '../use-deploy.ts';

const TAG = 'localhost:5050/hello:prod-ccccccc-1';

/** A build whose image is built. */
async function withImage() {
  const deploy = await useDeploy();
  deploy.plant('Dockerfile', 'FROM alpine\nUSER 1001\n');
  const { buildId, service, environment } = deploy.build;
  const contextDirectory = deploy.parts.workspace.directory(buildId);
  const dockerfile = `${contextDirectory}/Dockerfile`;
  const input = {
    buildId,
    org: 'acme',
    service,
    environment,
    contextDirectory,
    dockerfile,
    tag: TAG,
    labels: {},
    secrets: {},
  };
  await deploy.parts.images.build(input, recordingContext());
  return { ...deploy, input };
}

describe('image-push', () => {
  it('gives the digest that the registry has, the same at every attempt', async () => {
    const { parts, attempt } = await withImage();
    const step = attempt({ imageTag: TAG });
    const { imageDigest = '' } = await pushImage(parts, step);
    assert.match(imageDigest, /^localhost:5050\/hello@sha256:[0-9a-f]{64}$/);
    assert.ok(step.lines.includes(`Pushed ${imageDigest}`));
    assert.deepEqual(await pushImage(parts, attempt({ imageTag: TAG })), { imageDigest });
    assert.ok(parts.registry.find(imageDigest) !== null, 'a runtime can start it');
  });

  it('a registry that is away is tried again; an image that is not there ends the build', async () => {
    const { parts, attempt, input } = await withImage();
    const { files, registry } = parts;
    const hostsDown = new Set(['localhost:5050']);
    const images = createInMemoryImageBuilder({ files, registry, hostsDown });
    await images.build(input, recordingContext());
    const away = { code: 'IMAGE_PUSH_FAILED', retryable: true };
    await assert.rejects(pushImage({ images }, attempt({ imageTag: TAG })), away);
    hostsDown.clear();
    await pushImage({ images }, attempt({ imageTag: TAG }));
    const missing = pushImage(parts, attempt({ imageTag: 'localhost:5050/hello:never' }));
    await assert.rejects(missing, { code: 'IMAGE_PUSH_FAILED', retryable: false });
  });

  it('a full disk keeps its code', async () => {
    const { parts, attempt } = await withImage();
    const full = new FairleadError('DISK_FULL', 'Pushing the image: no space left');
    const images = { ...parts.images, push: () => Promise.reject(full) };
    await assert.rejects(pushImage({ images }, attempt({ imageTag: TAG })), (error) => error === full);
  });

  it('an aborted push throws the reason, and without a tag it is INTERNAL', async () => {
    const { parts, attempt } = await withImage();
    const aborted = attempt({ imageTag: TAG }, AbortSignal.abort(new Error('cancelled')));
    await assert.rejects(pushImage(parts, aborted), /cancelled/);
    await assert.rejects(pushImage(parts, attempt({})), { code: 'INTERNAL', message: /imageTag/ });
  });
});
