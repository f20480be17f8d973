import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isOrgSlug } from '../../domain/org-slug.ts';
import type { PageSnapshots } from '../../domain/status-page/ports.ts';
import { placeFile, READ_BY_ALL } from '../edge-router/place-file.ts';

/** Below the data folder, where the router finds them. */
export const SNAPSHOT_FOLDER = 'status-page';

/** Copies of status pages in a folder, each replaced as a whole: a reader sees the one before or this one, also after a power cut. */
export function createSnapshotFiles({ folder }: { readonly folder: string }): PageSnapshots {
  return {
    async keep(org, page) {
      const path = snapshotPath(folder, org);
      if (path === null) return;
      await placeFile(path, page, READ_BY_ALL);
    },
    async find(org) {
      const path = snapshotPath(folder, org);
      if (path === null) return null;
      return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      });
    },
  };
}

/** Null for what is no slug, and so no name of a file. */
export function snapshotPath(folder: string, org: string): string | null {
  return isOrgSlug(org) ? join(folder, `${org}.html`) : null;
}
