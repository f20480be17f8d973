import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { readImageFile } from '../../../adapters/docker/read-image-file.ts';

/** What is read of an image that has this file, by an engine that answers as Docker does. */
async function read(content: Uint8Array, header: object = {}): Promise<string | null> {
  const container = {
    id: 'c1',
    getArchive: async () => {
      const archive = pack();
      archive.entry({ name: 'yarn.lock', ...header }, Buffer.from(content));
      archive.finalize();
      return archive;
    },
    remove: async () => undefined,
    stop: async () => undefined,
  };
  const docker = {
    createContainer: async () => container,
    listContainers: async () => [],
    getContainer: () => container,
  } as unknown as Docker;
  const options = { docker, stackId: 's', onWarning: assert.fail, signal: AbortSignal.timeout(10_000) };
  return await readImageFile('tag', '/lockfile/yarn.lock', 1_000, options);
}

describe('a file of an image', () => {
  it('is read as it is', async () => {
    assert.equal(await read(Buffer.from('\ufeffé')), '\ufeffé');
  });

  it('whose bytes are no UTF-8 is no text, in place of a text three times as large', async () => {
    const refused = { code: 'UNSUPPORTED_MEDIA_TYPE', message: /yarn\.lock is no text/ };
    await assert.rejects(read(new Uint8Array(900).fill(0xff)), refused);
  });

  it('that is a link is no file', async () => {
    assert.equal(await read(new Uint8Array(), { type: 'symlink', linkname: '/run/secrets/x' }), null);
  });
});
