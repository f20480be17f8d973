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
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createWorkspace } from '../../../adapters/workspace/workspace.ts';

const BUILD = 'bld_0123456789abcdefghjk';
const base = mkdtempSync(join(tmpdir(), 'workspace-'));
const outside = join(base, 'outside');
const root = join(base, 'builds');
const source = join(root, BUILD);
const workspace = createWorkspace({ root });

describe('createWorkspace', () => {
  beforeEach(() => {
    for (const path of [outside, root]) rmSync(path, { recursive: true, force: true });
    mkdirSync(outside);
    mkdirSync(join(source, 'app'), { recursive: true });
    writeFileSync(join(outside, 'secret'), 'secret');
    writeFileSync(join(source, 'app/file'), 'text');
  });
  after(() => rmSync(base, { recursive: true, force: true }));

  it('reads files and lists directories, through links that stay inside too', async () => {
    symlinkSync('app/file', join(source, 'link'));
    symlinkSync('app', join(source, 'linked'));
    assert.equal(await workspace.readText(BUILD, 'app/file', 100), 'text');
    assert.equal(await workspace.readText(BUILD, './link', 100), 'text');
    assert.equal(await workspace.readText(BUILD, 'linked/file', 100), 'text');
    assert.deepEqual((await workspace.list(BUILD, '')).toSorted(), ['app', 'link', 'linked']);
    assert.deepEqual(await workspace.list(BUILD, 'linked'), ['file']);
  });

  it('answers null and nothing for what is not there', async () => {
    assert.equal(await workspace.readText(BUILD, 'none', 100), null);
    assert.equal(await workspace.readText(BUILD, 'app/file/below', 100), null);
    assert.equal(await workspace.readText('bld_other', 'file', 100), null);
    assert.deepEqual(await workspace.list(BUILD, 'none'), []);
    assert.deepEqual(await workspace.list(BUILD, 'app/file'), []);
  });

  it('refuses to read or list outside, by path or by link', async () => {
    symlinkSync(join(outside, 'secret'), join(source, 'absolute'));
    symlinkSync('../../outside', join(source, 'up'));
    symlinkSync('up/secret', join(source, 'chain'));
    symlinkSync('loop', join(source, 'loop'));
    for (const path of [
      'absolute',
      'up/secret',
      'chain',
      'loop',
      '../../outside/secret',
      '/etc/passwd',
      'a/../../x',
      'a\0b',
    ]) {
      await assert.rejects(workspace.readText(BUILD, path, 100), { code: 'SOURCE_REFUSED' }, path);
    }
    await assert.rejects(workspace.list(BUILD, 'up'), { code: 'SOURCE_REFUSED', message: /leads out of the source/ });
  });

  it('refuses files that are too large, directories and named pipes', async () => {
    execFileSync('mkfifo', [join(source, 'pipe')]);
    await assert.rejects(workspace.readText(BUILD, 'app/file', 3), {
      code: 'SOURCE_REFUSED',
      message: /larger than 3 bytes/,
    });
    await assert.rejects(workspace.readText(BUILD, 'app', 100), { code: 'SOURCE_REFUSED', message: /not a file/ });
    await assert.rejects(workspace.readText(BUILD, 'pipe', 100), { code: 'SOURCE_REFUSED', message: /not a file/ });
  });

  it('writes files with their mode, makes directories, replaces what is there', async () => {
    await workspace.write(BUILD, 'new/deep/run.sh', 'one', 0o755);
    await workspace.write(BUILD, 'new/deep/run.sh', 'two', 0o600);
    assert.equal(readFileSync(join(source, 'new/deep/run.sh'), 'utf8'), 'two');
    assert.equal(lstatSync(join(source, 'new/deep/run.sh')).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(join(source, 'new/deep')), ['run.sh']);
  });

  it('replaces a link instead of writing through it', async () => {
    symlinkSync(join(outside, 'secret'), join(source, 'Dockerfile'));
    symlinkSync(join(outside, 'not-there'), join(source, '.env'));
    await workspace.write(BUILD, 'Dockerfile', 'FROM x');
    await workspace.write(BUILD, '.env', 'A=1');
    assert.equal(readFileSync(join(outside, 'secret'), 'utf8'), 'secret');
    assert.deepEqual(readdirSync(outside), ['secret']);
    assert.ok(lstatSync(join(source, 'Dockerfile')).isFile());
  });

  it('refuses to write outside, and makes nothing there', async () => {
    symlinkSync(outside, join(source, 'up'));
    symlinkSync(join(outside, 'not-there'), join(source, 'dangling'));
    for (const path of ['up/file', 'up/deep/file', 'dangling/file', '../file', '/tmp/file', '', 'app/file/below']) {
      await assert.rejects(workspace.write(BUILD, path, 'x'), { code: 'SOURCE_REFUSED' }, path);
    }
    assert.deepEqual(readdirSync(outside), ['secret']);
  });

  it('refuses a file in place of a directory and leaves no temporary file', async () => {
    await assert.rejects(workspace.write(BUILD, 'app', 'x'), { code: 'SOURCE_REFUSED', message: /is a directory/ });
    assert.deepEqual(readdirSync(source), ['app']);
  });

  it('removes a build and follows no link out of it', async () => {
    symlinkSync(outside, join(source, 'up'));
    await workspace.remove(BUILD);
    await workspace.remove(BUILD);
    assert.ok(!existsSync(source) && existsSync(join(outside, 'secret')));
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

  it('names the builds that have a directory, and the free space', async () => {
    mkdirSync(join(root, '.hidden'));
    writeFileSync(join(root, 'file'), '');
    assert.deepEqual(await workspace.builds(), [BUILD]);
    assert.ok((await workspace.freeBytes()) > 0);
    const fresh = createWorkspace({ root: join(base, 'made', 'later') });
    assert.deepEqual(await fresh.builds(), []);
    assert.ok((await fresh.freeBytes()) > 0);
  });

  it('a build id is never a path', () => {
    for (const id of ['..', '', 'a/b', '.', '../x']) assert.throws(() => workspace.directory(id));
  });
});
