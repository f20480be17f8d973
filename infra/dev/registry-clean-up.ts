import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** As the worker writes it: `name@sha256:…`, where each part of the name ends in a letter or digit, so that none is `..`. */
const REFERENCE = /^((?:[\w.-]*[a-z0-9]\/)*[\w.-]*[a-z0-9])@(sha256:[0-9a-f]{64})$/;

/**
 * Removes from the store of a registry that is down the manifests that pruning has asked to delete; the registry's own
 * collector then removes their layers. A manifest that was pushed again after the request stays. Idempotent: a request
 * goes last.
 * @param repositories folder of the store, as the registry lays it out
 * @param deletions folder with a file for each request; see adapters/docker/registry-manifests.ts
 */
export async function removeUnneededManifests(repositories: string, deletions: string): Promise<void> {
  await mkdir(deletions, { recursive: true, mode: 0o700 });
  for (const file of await readdir(deletions)) {
    const request = join(deletions, file);
    const [, name, digest] = REFERENCE.exec((await readFile(request, 'utf8')).trim()) ?? [];
    if (name !== undefined && digest !== undefined) {
      const { mtimeMs } = await stat(request);
      await removeManifest(join(repositories, ...name.split('/'), '_manifests'), digest, mtimeMs);
    }
    await rm(request);
  }
}

async function removeManifest(manifests: string, digest: string, askedAtMs: number): Promise<void> {
  let isNeeded = false;
  for (const tag of await filesOf(join(manifests, 'tags'))) {
    const link = join(manifests, 'tags', tag, 'current', 'link');
    if ((await readFile(link, 'utf8').catch(() => '')).trim() !== digest) continue;
    if ((await stat(link)).mtimeMs > askedAtMs) isNeeded = true;
    else await rm(join(manifests, 'tags', tag), { recursive: true });
  }
  if (isNeeded) return;
  await rm(join(manifests, 'revisions', ...digest.split(':')), { recursive: true, force: true });
}

async function filesOf(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
