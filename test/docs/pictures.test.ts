import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { projectRoot } from '../../infra/dev/project.ts';

const MOST_BYTES = 20 * 1024;
const PICTURE = /!\[([^\]]*)\]\(([^)]+\.(?:png|svg))\)/g;

it('pictures of the pages are there, small, and said in words', async () => {
  const docs = (await readdir(join(projectRoot, 'docs'))).map((name) => join('docs', name));
  const shown = new Set<string>();
  for (const page of ['README.md', ...docs.filter((name) => name.endsWith('.md'))]) {
    for (const [, words = '', file = ''] of (await readFile(join(projectRoot, page), 'utf8')).matchAll(PICTURE)) {
      const path = join(dirname(page), file);
      assert.ok(words.length > 20, `${page} says nothing of ${file}`);
      assert.ok((await stat(join(projectRoot, path))).size <= MOST_BYTES, `${path} is larger than ${MOST_BYTES} bytes`);
      shown.add(path);
    }
  }
  assert.deepEqual([...shown].toSorted(), docs.filter((name) => /\.(png|svg)$/.test(name)).toSorted());
});
