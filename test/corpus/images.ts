import type Docker from 'dockerode';
import { LABELS } from '../../adapters/docker/labels.ts';

/** Bytes of an image, and of the image that it was built on. */
export interface ImageSizes {
  readonly image: number;
  /** 0 when no image of the engine has its first layers. */
  readonly base: number;
  /** Bytes of the packages that it runs with; 0 for a site, which a web server answers with. */
  readonly packages: number;
}

/** The sizes of a build's image; null when it made none. */
export async function imageSizes(docker: Docker, buildId: string): Promise<ImageSizes | null> {
  const [found] = await docker.listImages({ filters: { label: [`${LABELS.build}=${buildId}`] } });
  if (found === undefined) return null;
  const layers = await layersOf(docker, found.Id);
  let base = 0;
  for (const other of await docker.listImages()) {
    // Of other builds: nobody builds on those.
    if (LABELS.build in (other.Labels ?? {})) continue;
    const below = await layersOf(docker, other.Id);
    if (below.every((layer, at) => layer === layers[at])) base = Math.max(base, other.Size);
  }
  return { image: found.Size, base, packages: await packagesOf(docker, found.Id) };
}

/** Where apps and their monorepos have their packages. */
const PACKAGES = 'du -sk /app/node_modules /app/*/*/node_modules 2>/dev/null';

async function packagesOf(docker: Docker, id: string): Promise<number> {
  const container = await docker.createContainer({
    ...{ Image: id, Entrypoint: ['/bin/sh', '-c', PACKAGES], Cmd: [] },
    HostConfig: { NetworkMode: 'none' },
  });
  try {
    await container.start();
    await container.wait();
    const text = (await container.logs({ stdout: true })).toString('utf8');
    return [...text.matchAll(/(\d+)\t\/app/g)].reduce((sum, [, kib]) => sum + Number(kib) * 1024, 0);
  } finally {
    await container.remove({ force: true });
  }
}

async function layersOf(docker: Docker, id: string): Promise<readonly string[]> {
  return (await docker.getImage(id).inspect()).RootFS.Layers ?? [];
}

/** Removes all images of a service. */
export async function removeImages(docker: Docker, service: string): Promise<void> {
  for (const { Id } of await docker.listImages({ filters: { label: [`${LABELS.service}=${service}`] } })) {
    await docker.getImage(Id).remove({ force: true });
  }
}
