import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workspace } from '../../domain/deploys/source-ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { freeBytes } from '../free-bytes.ts';
import { readInside } from './read-inside.ts';
import { removeTree } from './remove-tree.ts';
import { enterDirectory, resolveInside, splitPath } from './safe-path.ts';

const BUILD_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/**
 * The workspace as one directory for each build below `root` (`WORKSPACE_DIR`). Source comes from strangers: every path
 * is resolved with its links and refused when it ends outside the build's directory.
 */
export function createWorkspace({ root }: { readonly root: string }): Workspace {
  const directory = (buildId: string): string => {
    if (!BUILD_ID.test(buildId)) throw new Error('a build id is letters, digits, dashes and underscores');
    return join(root, buildId);
  };
  return {
    directory,

    async readText(buildId, path, limitBytes) {
      return await readInside(directory(buildId), path, limitBytes);
    },

    async list(buildId, path) {
      const found = await resolveInside(directory(buildId), path);
      if (found === null) return [];
      return await readdir(found).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOTDIR' || error.code === 'ENOENT') return [];
        throw error;
      });
    },

    async write(buildId, path, text, mode = 0o644) {
      const parts = splitPath(path);
      const name = parts.at(-1);
      if (name === undefined) throw new FairleadError('SOURCE_REFUSED', 'Cannot write a file without a name');
      const parent = await enterDirectory(directory(buildId), parts.slice(0, -1), path);
      await replaceFile(parent, name, text, mode, path);
    },

    remove: (buildId) => removeTree(directory(buildId)),

    async freeBytes() {
      await mkdir(root, { recursive: true });
      return await freeBytes(root);
    },

    async builds() {
      const entries = await readdir(root, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      return entries.filter((entry) => entry.isDirectory() && BUILD_ID.test(entry.name)).map((entry) => entry.name);
    },
  };
}

/** Puts a new file in place of whatever has the name, so that a link of that name is replaced and never followed. */
async function replaceFile(parent: string, name: string, text: string, mode: number, shown: string): Promise<void> {
  const fresh = join(parent, `.${randomBytes(6).toString('hex')}.new`);
  try {
    await writeFile(fresh, text, { flag: 'wx', mode });
    // The mode given at creation is cut by the umask.
    await chmod(fresh, mode);
    await rename(fresh, join(parent, name));
  } catch (error) {
    await rm(fresh, { force: true });
    throw explain(error as NodeJS.ErrnoException, shown);
  }
}

function explain(error: NodeJS.ErrnoException, shown: string): unknown {
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') {
    return new FairleadError('DISK_FULL', `No space left to write ${shown}; free some and retry`, { cause: error });
  }
  if (error.code === 'EISDIR' || error.code === 'ENOTEMPTY') {
    return new FairleadError(
      'SOURCE_REFUSED',
      `${shown} in the source is a directory where a file is needed; rename it`,
    );
  }
  return error;
}
