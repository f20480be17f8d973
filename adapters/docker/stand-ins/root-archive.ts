import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';

/** One entry of an image's root folder. Paths are relative to the root, without a leading slash. */
export type RootEntry =
  | { readonly path: string; readonly kind: 'directory'; readonly mode?: number; readonly uid?: number }
  | { readonly path: string; readonly kind: 'link'; readonly target: string }
  | { readonly path: string; readonly kind: 'text'; readonly text: string; readonly mode?: number }
  | { readonly path: string; readonly kind: 'file'; readonly from: string; readonly mode?: number };

/** A fixed time, so that the same content makes the same layer and registries keep it once. */
const MODIFIED = new Date('2024-01-01T00:00:00Z');

/** Streams entries as a tar archive. Parent directories come first, once; a later entry of a path replaces an earlier. */
export function archiveRoot(entries: readonly RootEntry[]): { stream: Readable; done: Promise<void> } {
  const archive = pack();
  const done = writeAll(archive, entries).catch((error: Error) => {
    archive.destroy(error);
    throw error;
  });
  return { stream: Readable.from(archive, { objectMode: false }), done };
}

async function writeAll(archive: Pack, entries: readonly RootEntry[]): Promise<void> {
  const byPath = new Map<string, RootEntry>();
  for (const entry of entries) {
    for (const parent of parents(entry.path)) {
      if (!byPath.has(parent)) byPath.set(parent, { path: parent, kind: 'directory' });
    }
    byPath.set(entry.path, entry);
  }
  for (const entry of [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1))) await write(archive, entry);
  archive.finalize();
}

async function write(archive: Pack, entry: RootEntry): Promise<void> {
  const name = entry.path;
  if (entry.kind === 'directory') {
    const owner = entry.uid ?? 0;
    archive.entry({ name, type: 'directory', mode: entry.mode ?? 0o755, mtime: MODIFIED, uid: owner, gid: owner });
  } else if (entry.kind === 'link') {
    archive.entry({ name, type: 'symlink', linkname: entry.target, mtime: MODIFIED });
  } else if (entry.kind === 'text') {
    archive.entry({ name, mode: entry.mode ?? 0o644, mtime: MODIFIED }, entry.text);
  } else {
    const { size, mode } = await lstat(entry.from);
    const fileMode = entry.mode ?? (mode & 0o111 ? 0o755 : 0o644);
    const sink = archive.entry({ name, size, mode: fileMode, mtime: MODIFIED });
    await pipeline(createReadStream(entry.from), sink);
  }
}

function parents(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Everything under a folder of this machine, as entries under `target`. */
export async function folderEntries(folder: string, target: string): Promise<RootEntry[]> {
  const entries: RootEntry[] = [];
  for (const item of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const from = join(item.parentPath, item.name);
    const path = posix.join(target, from.slice(folder.length + 1));
    if (item.isDirectory()) entries.push({ path, kind: 'directory' });
    else if (item.isSymbolicLink()) entries.push({ path, kind: 'link', target: await readlink(from) });
    else if (item.isFile()) entries.push({ path, kind: 'file', from });
  }
  return entries;
}
