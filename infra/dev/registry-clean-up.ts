import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

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

/**
 * Removes the manifests that a registry which was killed has written in part: it writes them in place, and its collector
 * ends at the first that it cannot read. Whoever pushes such an image again writes it whole. Idempotent.
 * @param store of a registry that is down, as the registry lays it out
 */
export async function removeBrokenManifests(store: string): Promise<void> {
  for await (const revisions of revisionFolders(join(store, 'repositories'))) {
    for (const hash of await filesOf(revisions)) {
      const blob = join(store, 'blobs', 'sha256', hash.slice(0, 2), hash, 'data');
      const link = await readFile(join(revisions, hash, 'link'), 'utf8').catch(ignoreMissing);
      const content = await readFile(blob).catch(ignoreMissing);
      const isWhole = content !== null && createHash('sha256').update(content).digest('hex') === hash;
      if (isWhole && link?.trim() === `sha256:${hash}`) continue;
      await rm(join(revisions, hash), { recursive: true });
      if (!isWhole) await rm(dirname(blob), { recursive: true, force: true });
    }
  }
}

/** Those of all repositories, each with a folder for each of its manifests. */
async function* revisionFolders(folder: string): AsyncGenerator<string> {
  for (const name of await filesOf(folder)) {
    if (name === '_manifests') yield join(folder, name, 'revisions', 'sha256');
    else if (!name.startsWith('_')) yield* revisionFolders(join(folder, name));
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

async function filesOf(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? [];
}
