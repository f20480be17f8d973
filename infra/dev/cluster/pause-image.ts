import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';

/** Its name is nobody's: no node asks a registry for it. */
export const PAUSE_IMAGE = 'fairlead.invalid/pause:1';

/** Writes the archive of the image that holds the network of a pod: one static busybox that sleeps. */
export async function writePauseImage(busybox: string, archive: string): Promise<void> {
  const layer = await packed((tar) => {
    tar.entry({ name: 'bin/', type: 'directory', mode: 0o755 });
    return readFile(busybox).then((program) => void tar.entry({ name: 'bin/busybox', mode: 0o755 }, program));
  });
  const config = JSON.stringify({
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: { User: '65535:65535', Entrypoint: ['/bin/busybox', 'sleep', '2147483647'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${createHash('sha256').update(layer).digest('hex')}`] },
  });
  const manifest = [{ Config: 'config.json', RepoTags: [PAUSE_IMAGE], Layers: ['layer.tar'] }];
  const tar = pack();
  tar.entry({ name: 'layer.tar' }, layer);
  tar.entry({ name: 'config.json' }, config);
  tar.entry({ name: 'manifest.json' }, JSON.stringify(manifest));
  tar.finalize();
  await pipeline(tar, createWriteStream(archive));
}

async function packed(fill: (tar: Pack) => Promise<void>): Promise<Buffer> {
  const tar = pack();
  const parts: Buffer[] = [];
  const read = (async () => {
    for await (const part of tar) parts.push(part as Buffer);
  })();
  await fill(tar);
  tar.finalize();
  await read;
  return Buffer.concat(parts);
}
