import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { projectRoot } from './project.ts';
import { SMOKE } from './smoke.ts';

export interface Selection {
  /** Globs or parts of paths; none means every file. */
  readonly filters: readonly string[];
  readonly smoke: boolean;
  readonly endToEnd: boolean;
}

/** The test files of the checkout that a selection means, as sorted paths from its root. */
export function selectFiles({ filters, smoke, endToEnd }: Selection): readonly string[] {
  return globSync('test/**/*.test.ts', { cwd: projectRoot })
    .filter((file) => !file.startsWith('test/fixtures/'))
    .filter((file) => endToEnd || !file.startsWith('test/e2e/'))
    .filter((file) => !smoke || SMOKE_FILES.has(file))
    .filter((file) => filters.length === 0 || filters.some((one) => file.includes(one) || matchesGlob(file, one)))
    .sort();
}

const SMOKE_FILES: ReadonlySet<string> = new Set(Object.values(SMOKE).flat());
