import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { checkedFiles } from '../../infra/dev/checked-files.ts';
import { projectRoot } from '../../infra/dev/project.ts';
import { runProgram } from '../../infra/dev/tools/run-program.ts';

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder outside any checkout, with files in it. */
function newFolder(...paths: string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'fairlead-checked-'));
  folders.push(root);
  for (const path of paths) write(root, path);
  return root;
}

function write(root: string, path: string, content = 'export {};\n'): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function git(root: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd: root, stdio: 'ignore' });
}

function newCheckout(): string {
  const root = newFolder('domain/a.ts', 'domain/gone.ts', 'root.ts');
  write(root, '.gitignore', 'ignored.ts\n');
  git(root, 'init', '-q');
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '-m', 'first');
  return root;
}

test('tracked files are looked at, and new files beside them; ignored and deleted files are not', async () => {
  const root = newCheckout();
  write(root, 'domain/new/b.ts');
  write(root, 'domain/ignored.ts');
  rmSync(join(root, 'domain/gone.ts'));
  assert.deepEqual((await checkedFiles(root)).toSorted(), ['.gitignore', 'domain/a.ts', 'domain/new/b.ts', 'root.ts']);
});

test('stray folders and clones inside the checkout are not looked at', async () => {
  const root = newCheckout();
  const before = await checkedFiles(root);
  write(root, 'stray/broken.ts', 'const   x');
  for (const clone of ['clone', 'domain/clone']) {
    write(root, `${clone}/broken.ts`, 'const   x');
    git(join(root, clone), 'init', '-q');
  }
  assert.deepEqual(await checkedFiles(root), before);
});

test('without git everything is looked at, also inside the checkout of something else', async () => {
  assert.deepEqual(await checkedFiles(newFolder('domain/a.ts')), ['.']);
  const outer = newCheckout();
  write(outer, 'unpacked/domain/a.ts');
  assert.deepEqual(await checkedFiles(join(outer, 'unpacked')), ['.']);
});

test('a stray folder with a broken file and a biome.json of its own fails no format check', async () => {
  const root = newCheckout();
  const biome = async (): Promise<string> => {
    const args = ['check', '--files-ignore-unknown=true', ...(await checkedFiles(root))];
    return runProgram(join(projectRoot, 'node_modules/.bin/biome'), args, { cwd: root, keepOutput: true });
  };
  cpSync(join(projectRoot, 'biome.json'), join(root, 'biome.json'));
  cpSync(join(projectRoot, 'biome.json'), join(root, 'stray/biome.json'));
  write(root, 'stray/broken.ts', 'const   x');
  await biome();
  write(root, 'domain/broken.ts', 'const   x');
  await assert.rejects(biome(), /broken\.ts/);
});
