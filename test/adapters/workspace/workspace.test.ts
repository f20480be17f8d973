import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createWorkspace } from '../../../adapters/workspace/workspace.ts';
import { workspaceSuite } from '../../ports/workspace.ts';

const BUILD = 'bld_0123456789abcdefghjk';
const base = mkdtempSync(join(tmpdir(), 'workspace-'));
after(() => rmSync(base, { recursive: true, force: true }));

let places = 0;

workspaceSuite(async () => {
  places += 1;
  const place = join(base, String(places));
  mkdirSync(place);
  const outside = join(place, 'outside');
  return {
    workspace: createWorkspace({ root: join(place, 'builds') }),
    outside,
    async plant(path, content) {
      mkdirSync(dirname(path), { recursive: true });
      if ('link' in content) symlinkSync(content.link, path);
      else writeFileSync(path, content.text);
    },
    async file(path) {
      const facts = lstatSync(path, { throwIfNoEntry: false });
      return facts?.isFile() ? { text: readFileSync(path, 'utf8'), mode: facts.mode & 0o777 } : null;
    },
    names: async (path) => readdirSync(path).toSorted(),
  };
});

describe('source on a disk', () => {
  it('a named pipe is refused, and not waited for', async () => {
    const workspace = createWorkspace({ root: join(base, 'pipes') });
    const source = workspace.directory(BUILD);
    mkdirSync(source, { recursive: true });
    execFileSync('mkfifo', [join(source, 'pipe')]);
    const refused = { code: 'SOURCE_REFUSED', message: /not a file/ };
    await assert.rejects(workspace.readText(BUILD, 'pipe', 100), refused);
  });

  it('removes read-only trees without being root', {
    skip: process.getuid?.() !== 0 && 'needs root to become somebody else',
  }, () => {
    const code = fileURLToPath(new URL('../../../adapters/workspace/remove-tree.ts', import.meta.url));
    const place = mkdtempSync(join(tmpdir(), 'workspace-nobody-'));
    cpSync(code, join(place, 'remove-tree.ts'));
    const tree = join(place, 'tree');
    mkdirSync(join(tree, 'a/b'), { recursive: true });
    writeFileSync(join(tree, 'a/b/file'), '');
    execFileSync('chown', ['-R', '65534:65534', place]);
    for (const path of ['a/b', 'a', '']) chmodSync(join(tree, path), 0o555);
    const script = `const { removeTree } = await import(${JSON.stringify(join(place, 'remove-tree.ts'))}); await removeTree(${JSON.stringify(tree)});`;
    const node = join(place, 'node');
    cpSync(process.execPath, node);
    execFileSync(node, ['--input-type=module', '-e', script], { uid: 65_534, gid: 65_534, cwd: '/', stdio: 'pipe' });
    assert.ok(!existsSync(tree));
    rmSync(place, { recursive: true });
  });
});
