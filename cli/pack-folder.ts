import { constants, type Dirent, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import ignore, { type Ignore } from 'ignore';
import { type Pack, pack } from 'tar-stream';
import { CliFailure, usageFailure } from './cli-failure.ts';
import { filteredFiles, type GitFiles, isRepositoryTop, readGitFiles, unchangedFiles } from './git-files.ts';
import { isInside } from './is-inside.ts';

/** One thing to pack; paths are relative with forward slashes. */
export type PackEntry =
  | { readonly kind: 'file'; readonly path: string; readonly sizeBytes: number; readonly executable: boolean }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/** What the API takes at most, compressed. */
const UPLOAD_LIMIT_BYTES = 100 * 1024 * 1024;

/**
 * Never packed unless it is tracked: what is installed again, history, and files that hold secrets.
 * `.dockerignore` is not read here: it rules the image's build context, and the builder obeys it there.
 */
const NEVER = ignore().add(['node_modules', '.git', '.env*', '.fairlead']);

/** What may hold secrets of this machine, even where a template of it is tracked. */
const MAY_HOLD_SECRETS = ignore().add('.env*');

/**
 * Everything of a folder that is to be uploaded, in a fixed order: what a commit of all of it would hold. In a repository
 * these are the tracked files, and the others that nothing ignores; elsewhere `.gitignore` files are obeyed, nested ones as well.
 *
 * A repository inside is asked for its own files in the same way.
 *
 * @param onNote a line for the user, about files that hold more here than in the repository
 * @throws CliFailure SOURCE_REFUSED for a symbolic link that leaves the folder or a repository that git cannot list,
 * SOURCE_EMPTY when nothing is left
 */
export async function listFolder(folder: string, onNote: (line: string) => void = () => {}): Promise<PackEntry[]> {
  const root = await realpath(folder);
  const entries: PackEntry[] = [];
  const known = await readGitFiles(root).catch((cause: unknown) => refuseRepository(folder, cause));
  if (known === null) await walk(root, '', [], entries);
  else await addListed({ root, entries, onNote, folders: new Map([['.', true]]) }, '', known);
  if (entries.length === 0) {
    throw new CliFailure('SOURCE_EMPTY', `There is nothing to deploy in ${folder}.`, {
      exit: 'usage',
      remedy: 'Everything in it is ignored by .gitignore or never uploaded (node_modules, .git, .env*).',
    });
  }
  return entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

interface Listing {
  readonly root: string;
  readonly entries: PackEntry[];
  readonly onNote: (line: string) => void;
  /** Whether a path is a folder, and no link on the way to it, as far as it was looked at. */
  readonly folders: Map<string, boolean>;
}

/** What git lists of a repository; `base` is where that is in the root, empty or with a `/` at its end. */
async function addListed(listing: Listing, base: string, known: GitFiles): Promise<void> {
  const top = join(listing.root, base);
  const templates = [...known.tracked.keys()].filter((path) => MAY_HOLD_SECRETS.ignores(path));
  const unchanged = await unchangedFiles(top, known.tracked, templates);
  const tracked = [...known.tracked.keys()].filter((path) => !MAY_HOLD_SECRETS.ignores(path) || unchanged.has(path));
  const untracked = [...known.untracked].filter((path) => !NEVER.ignores(path));
  const filtered = await filteredFiles(top, known.tracked).catch((cause: unknown) => refuseRepository(top, cause));
  const plain = filtered.filter((path) => tracked.includes(path));
  if (plain.length > 0) {
    const names = plain.map((path) => `${base}${path}`).join(', ');
    listing.onNote(`Uploaded as they are here, not as git stores them through a filter: ${names}`);
  }
  for (const path of [...tracked, ...untracked]) await addPath(listing, `${base}${path}`);
}

/** A path that git lists: a file, a link, or the folder of another repository inside. */
async function addPath(listing: Listing, path: string): Promise<void> {
  const { root, entries } = listing;
  // To git a tracked file is deleted when a folder above it is a link now.
  if (!(await isFolder(listing, dirname(path)))) return;
  const found = await lstat(join(root, path)).catch(() => null);
  // A tracked file may have been deleted.
  if (found === null) return;
  if (found.isSymbolicLink()) entries.push(await linkEntry(root, path));
  else if (found.isDirectory()) await addRepository(listing, path.replace(/\/$/, ''));
  else if (found.isFile()) entries.push(fileEntry(path, found));
}

async function isFolder(listing: Listing, path: string): Promise<boolean> {
  const seen = listing.folders.get(path);
  if (seen !== undefined) return seen;
  const found = (await isFolder(listing, dirname(path))) && (await lstat(join(listing.root, path)).catch(() => null));
  const answer = found !== null && found !== false && found.isDirectory();
  listing.folders.set(path, answer);
  return answer;
}

async function addRepository(listing: Listing, path: string): Promise<void> {
  const folder = join(listing.root, path);
  try {
    // A submodule that was not fetched, or a folder in the place of a tracked file: what counts in it is listed by itself.
    if (!(await isRepositoryTop(folder))) return;
    const known = await readGitFiles(folder);
    if (known !== null) return await addListed(listing, `${path}/`, known);
  } catch (cause) {
    if (cause instanceof CliFailure) throw cause;
    refuseRepository(path, cause);
  }
  refuseRepository(path);
}

function refuseRepository(path: string, cause?: unknown): never {
  const text = cause instanceof Error && 'stderr' in cause ? `: ${String(cause.stderr).trim().split('\n')[0]}` : '.';
  throw new CliFailure('SOURCE_REFUSED', `git cannot list the files of the repository ${path}${text}`, {
    exit: 'usage',
    cause,
    remedy: 'Make `git status` work there, or add the folder to the .gitignore of a repository around it.',
  });
}

function fileEntry(path: string, { size, mode }: Pick<Stats, 'size' | 'mode'>): PackEntry {
  return { kind: 'file', path, sizeBytes: size, executable: (mode & 0o111) !== 0 };
}

interface Rules {
  readonly base: string;
  readonly rules: Ignore;
}

async function walk(root: string, folder: string, inherited: readonly Rules[], entries: PackEntry[]): Promise<void> {
  const children = await readdir(join(root, folder), { withFileTypes: true });
  const own = children.some((child) => child.name === '.gitignore' && child.isFile())
    ? [{ base: folder, rules: ignore().add(await readFile(join(root, folder, '.gitignore'), 'utf8')) }]
    : [];
  const rules = [...inherited, ...own];
  for (const child of children) {
    const path = folder === '' ? child.name : `${folder}/${child.name}`;
    if (isLeftOut(path, child, rules)) continue;
    if (child.isDirectory()) await walk(root, path, rules, entries);
    else if (child.isSymbolicLink()) entries.push(await linkEntry(root, path));
    else if (child.isFile()) entries.push(fileEntry(path, await lstat(join(root, path))));
    // Sockets, pipes and devices are no source.
  }
}

function isLeftOut(path: string, child: Dirent, rules: readonly Rules[]): boolean {
  const suffix = child.isDirectory() ? '/' : '';
  if (NEVER.ignores(`${path}${suffix}`)) return true;
  // The deepest file that says something about the path decides, as in git.
  for (const { base, rules: matcher } of rules.toReversed()) {
    const below = base === '' ? path : path.slice(base.length + 1);
    const { ignored, unignored } = matcher.test(`${below}${suffix}`);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

async function linkEntry(root: string, path: string): Promise<PackEntry> {
  const target = await readlink(join(root, path));
  const lexical = resolve(root, dirname(path), target);
  const real = await realpath(join(root, path)).catch(() => lexical);
  if (isAbsolute(target) || !isInside(root, lexical) || !isInside(root, real)) {
    throw new CliFailure('SOURCE_REFUSED', `${path} is a symbolic link to ${target}, which is outside the folder.`, {
      exit: 'usage',
      remedy: 'Replace it with the file itself or a relative link inside the folder, or add it to .gitignore.',
    });
  }
  return { kind: 'link', path, target: target.split(sep).join('/') };
}

/**
 * A gzip-compressed tar of the entries, made while it is read: memory stays small however large the folder is. The
 * same content gives the same bytes, because times and owners are left out.
 *
 * @param onProgress compressed bytes so far
 * @throws CliFailure (through the stream) SOURCE_CHANGED, PAYLOAD_TOO_LARGE naming the largest files
 */
export function packFolder(
  folder: string,
  entries: readonly PackEntry[],
  onProgress: (bytes: number) => void,
  limitBytes = UPLOAD_LIMIT_BYTES,
): Transform {
  const archive = pack();
  let bytes = 0;
  const meter = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      onProgress(bytes);
      if (bytes > limitBytes) done(tooLarge(entries, limitBytes));
      else done(null, chunk);
    },
  });
  // A failure on either side destroys the other, and the reader of the meter sees it.
  pipeline(archive, createGzip(), meter).catch(() => {});
  addEntries(archive, folder, entries).catch((error: unknown) => {
    const failure = error instanceof Error ? error : new Error(String(error));
    meter.destroy(failure);
  });
  return meter;
}

async function addEntries(archive: Pack, folder: string, entries: readonly PackEntry[]): Promise<void> {
  const root = await realpath(folder);
  for (const entry of entries) {
    if (archive.destroyed) return;
    if (entry.kind === 'link') {
      archive.entry({ name: entry.path, type: 'symlink', linkname: entry.target, mtime: new Date(0) });
    } else await addFile(archive, root, entry);
  }
  archive.finalize();
}

async function addFile(archive: Pack, root: string, entry: PackEntry & { kind: 'file' }): Promise<void> {
  // A link that took the place of the file, or of a folder above it, is not followed.
  const handle = await openInside(root, entry.path).catch((cause: unknown) => {
    throw usageFailure(`${entry.path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
  });
  try {
    const { size } = await handle.stat();
    const mode = entry.executable ? 0o755 : 0o644;
    const header = { name: entry.path, size, mode, mtime: new Date(0) };
    if (size === 0) {
      archive.entry(header, '');
      return;
    }
    const sink = archive.entry(header);
    // A file that grows meanwhile is packed as it was when opened; one that shrinks cannot be.
    await pipeline(handle.createReadStream({ end: size - 1, autoClose: false }), sink);
  } catch (cause) {
    if (archive.destroyed && !(cause instanceof Error && cause.message.includes('size mismatch'))) throw cause;
    throw new CliFailure('SOURCE_CHANGED', `${entry.path} changed while it was packed.`, {
      cause,
      remedy: 'Run the deploy again once nothing writes to the folder.',
    });
  } finally {
    await handle.close();
  }
}

async function openInside(root: string, path: string): Promise<FileHandle> {
  const folder = await realpath(dirname(join(root, path)));
  if (!isInside(root, folder)) throw new Error('it is outside the folder now');
  return open(join(folder, basename(path)), constants.O_RDONLY | constants.O_NOFOLLOW);
}

function tooLarge(entries: readonly PackEntry[], limitBytes: number): CliFailure {
  const files = entries.filter((entry) => entry.kind === 'file').toSorted((a, b) => b.sizeBytes - a.sizeBytes);
  const largest = files.slice(0, 3).map((file) => `${file.path} (${formatBytes(file.sizeBytes)})`);
  return new CliFailure('PAYLOAD_TOO_LARGE', `The folder is larger than ${formatBytes(limitBytes)} compressed.`, {
    exit: 'usage',
    remedy: `Leave large files out with .gitignore. The largest: ${largest.join(', ')}.`,
  });
}

/** Bytes for people: `512 B`, `3.4 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1_024 ** power).toFixed(1).replace(/\.0$/, '')} ${units[power - 1]}`;
}
