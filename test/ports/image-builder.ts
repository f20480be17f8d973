import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BuiltImage, ImageBuilder, ImageBuildInput } from '../../domain/deploys/image-builder.ts';
import { FairleadError } from '../../domain/errors.ts';
import { patience } from '../support/patience.ts';
import { recordingContext } from './workload-runtime.ts';

export interface ImageBuilderUnderTest {
  readonly builder: ImageBuilder;
  /** Host of the registry that images are pushed to, and of one that does not answer. */
  readonly registry: string;
  readonly registryDown: string;
  /** Writes files into a new folder and returns the input of their build. */
  input(service: string, files: Readonly<Record<string, string>>): Promise<ImageBuildInput>;
}

export const SMALL_IMAGE = {
  Dockerfile: 'FROM alpine\nCOPY file /file\nUSER 1001\nCMD ["cat", "/file"]\n',
  file: 'content',
};

/** How a build fails. */
export async function buildFailure(builder: ImageBuilder, input: ImageBuildInput): Promise<FairleadError> {
  const error: unknown = await builder.build(input, recordingContext()).then(
    () => new Error('the build succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof FairleadError, String(error));
  return error;
}

/** What every {@link ImageBuilder} guarantees. */
export function imageBuilderSuite(under: () => ImageBuilderUnderTest): void {
  buildTests(under);
  readTests(under);
  pushTests(under);
  pruneTests(under);
}

function buildTests(under: () => ImageBuilderUnderTest): void {
  const failureOf = async (service: string, Dockerfile: string) =>
    buildFailure(under().builder, await under().input(service, { Dockerfile }));

  describe('ImageBuilder: build', () => {
    it('streams its output, and gives the same image for the same input', async () => {
      const { builder, input } = under();
      const small = await input('small', SMALL_IMAGE);
      const context = recordingContext();
      const { imageId } = await builder.build(small, context);
      assert.match(imageId, /^sha256:[0-9a-f]{64}$/);
      assert.match(context.lines.join('\n'), /COPY file \/file/);
      assert.deepEqual(await builder.build(small, recordingContext()), { imageId });
    });

    it('a failing instruction is named with its line and its last output', async () => {
      const lines = ['FROM alpine', 'RUN echo first', 'RUN echo what-went-wrong \\', '  && exit 7', 'RUN echo never'];
      const error = await failureOf('failing', lines.join('\n'));
      assert.equal(error.code, 'IMAGE_BUILD_FAILED');
      assert.match(error.message, /^Line 3 of the container file failed: RUN echo what-went-wrong/);
      assert.match(error.message, /\nwhat-went-wrong\n/);
      assert.match(error.message, /exit code: 7/);
      assert.equal(error.retryable, false);
    });

    it('a syntax error is IMAGE_BUILD_FAILED with its line', async () => {
      const error = await failureOf('syntax', 'FROM alpine\nNONSENSE here\n');
      assert.equal(error.code, 'IMAGE_BUILD_FAILED');
      assert.match(error.message, /Line 2 of the container file/);
      assert.match(error.message, /unknown instruction: NONSENSE/i);
    });

    it('a file that is not in the source is named', async () => {
      const error = await failureOf('absent', 'FROM alpine\nCOPY nowhere.txt /\n');
      assert.equal(error.code, 'IMAGE_BUILD_FAILED');
      assert.match(error.message, /nowhere\.txt/);
    });

    it('a base image that cannot be had is named', async () => {
      const error = await failureOf('baseless', `FROM ${under().registryDown}/nowhere:1\n`);
      assert.deepEqual([error.code, error.retryable], ['BASE_IMAGE_UNAVAILABLE', false]);
      assert.match(error.message, /nowhere:1/);
    });

    it('a container file that is not there is CONTAINER_FILE_MISSING', async () => {
      const { builder, input } = under();
      const error = await buildFailure(builder, await input('fileless', { file: 'content' }));
      assert.equal(error.code, 'CONTAINER_FILE_MISSING');
    });

    it('an aborted build throws the reason, before it begins and while it runs', async () => {
      const { builder, input } = under();
      const hanging = await input('hanging', { Dockerfile: 'FROM alpine\nRUN sleep 100000\n' });
      const early = builder.build(hanging, recordingContext(AbortSignal.abort(new Error('too early'))));
      await assert.rejects(early, /too early/);
      const abort = new AbortController();
      const begun = Promise.withResolvers<void>();
      const onLine = (line: string): void => {
        if (line.includes('sleep 100000')) begun.resolve();
      };
      const build = builder.build(hanging, { signal: abort.signal, onLine });
      const outcome = assert.rejects(build, /stop it/);
      await Promise.race([begun.promise, outcome]);
      abort.abort(new Error('stop it'));
      await outcome;
    });
  });
}

function readTests(under: () => ImageBuilderUnderTest): void {
  describe('ImageBuilder: readText', () => {
    const read = async (path: string, limitBytes = 1_000, signal = patience()) => {
      const { builder, input } = under();
      const { tag } = await built(builder, await input('read', SMALL_IMAGE));
      return await builder.readText(tag, path, limitBytes, signal);
    };

    it('gives the text of a file of the image, and null where it has none', async () => {
      assert.equal(await read('/file'), 'content');
      assert.equal(await read('/no/such/file'), null);
    });

    it('a file above the limit is PAYLOAD_TOO_LARGE', async () => {
      assert.equal(await read('/file', 7), 'content');
      await assert.rejects(read('/file', 6), { code: 'PAYLOAD_TOO_LARGE' });
    });

    it('a tag that was not built is NOT_FOUND', async () => {
      const { builder, registry } = under();
      const never = builder.readText(`${registry}/never:1`, '/file', 1_000, patience());
      await assert.rejects(never, { code: 'NOT_FOUND' });
    });

    it('an aborted one throws the reason', async () => {
      await assert.rejects(read('/file', 7, AbortSignal.abort(new Error('stop it'))), /stop it/);
    });
  });
}

function pushTests(under: () => ImageBuilderUnderTest): void {
  describe('ImageBuilder: push', () => {
    it('returns the digest reference, the same when it is repeated', async () => {
      const { builder, registry, input } = under();
      const { tag } = await built(builder, await input('pushed', SMALL_IMAGE));
      const { digest } = await builder.push(tag, recordingContext());
      assert.match(digest, new RegExp(`^${registry}/pushed@sha256:[0-9a-f]{64}$`));
      assert.deepEqual(await builder.push(tag, recordingContext()), { digest });
    });

    it('a registry that is down is IMAGE_PUSH_FAILED and retryable', async () => {
      const { builder, registryDown, input } = under();
      const tag = `${registryDown}/down:1`;
      await built(builder, { ...(await input('down', SMALL_IMAGE)), tag });
      await assert.rejects(builder.push(tag, recordingContext()), { code: 'IMAGE_PUSH_FAILED', retryable: true });
    });

    it('a tag that was not built is IMAGE_PUSH_FAILED', async () => {
      const { builder, registry } = under();
      await assert.rejects(builder.push(`${registry}/never:1`, recordingContext()), { code: 'IMAGE_PUSH_FAILED' });
    });

    it('an aborted push throws the reason', async () => {
      const { builder, registry } = under();
      const signal = AbortSignal.abort(new Error('stop it'));
      await assert.rejects(builder.push(`${registry}/small:1`, recordingContext(signal)), /stop it/);
    });
  });
}

function pruneTests(under: () => ImageBuilderUnderTest): void {
  describe('ImageBuilder: prune', () => {
    it('removes what nothing needs, and asks for each image by its build and its names', async () => {
      const { builder, input } = under();
      const image = async (file: string) => {
        const { tag, buildId } = await built(builder, await input('prune', { ...SMALL_IMAGE, file }));
        return { tag, buildId, ...(await builder.push(tag, recordingContext())) };
      };
      const byTag = await image('kept by tag');
      const byDigest = await image('kept by digest');
      const obsolete = await image('obsolete');
      const asked: BuiltImage[] = [];
      const isNeeded = async (found: BuiltImage): Promise<boolean> => {
        asked.push(found);
        return found.names.some((name) => name === byTag.tag || name === byDigest.digest);
      };
      const { removed, reclaimedBytes } = await builder.prune(isNeeded, patience());
      const { names, ...madeBy } = asked.find(({ buildId }) => buildId === obsolete.buildId) ?? { names: [] };
      assert.deepEqual(madeBy, { buildId: obsolete.buildId, service: 'prune', environment: 'sandbox' });
      assert.deepEqual(names.toSorted(), [obsolete.tag, obsolete.digest].toSorted());
      assert.ok(removed.includes(obsolete.tag));
      assert.ok(!removed.includes(byTag.tag) && !removed.includes(byDigest.tag));
      assert.ok(reclaimedBytes > 0);
      for (const { tag, digest } of [byTag, byDigest]) {
        assert.deepEqual(await builder.push(tag, recordingContext()), { digest });
      }
      const gone = builder.push(obsolete.tag, recordingContext());
      await assert.rejects(gone, { code: 'IMAGE_PUSH_FAILED' });
      assert.deepEqual((await builder.prune(isNeeded, patience())).removed, []);
    });

    it('an aborted prune throws the reason and removes nothing', async () => {
      const { builder, input } = under();
      const { tag } = await built(builder, await input('unpruned', SMALL_IMAGE));
      await assert.rejects(
        builder.prune(async () => false, AbortSignal.abort(new Error('stop it'))),
        /stop it/,
      );
      await builder.push(tag, recordingContext());
    });

    it('tells the free space where images are kept', async () => {
      assert.ok((await under().builder.freeBytes()) > 1024 ** 2);
    });
  });
}

async function built(builder: ImageBuilder, input: ImageBuildInput): Promise<ImageBuildInput> {
  await builder.build(input, recordingContext());
  return input;
}
