import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { formatBytes, listFolder, packFolder } from '../../cli/pack-folder.ts';

const silent = (): void => {};

describe('packing a folder', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'fairlead-pack-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const write = (files: Readonly<Record<string, string>>): void => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  };
  const listed = async (): Promise<string[]> => (await listFolder(root)).map((entry) => entry.path);
  const headers = async (): Promise<Header[]> => {
    const seen: Header[] = [];
    const reader = extract();
    packFolder(root, await listFolder(root), silent)
      .pipe(createGunzip())
      .pipe(reader);
    for await (const entry of reader) {
      seen.push(entry.header);
      entry.resume();
    }
    return seen;
  };

  it('leaves out what .gitignore names, nested files included, and keeps what a deeper one takes back', async () => {
    write({
      '.gitignore': '*.log\n/dist\n!keep.log\n',
      'a.log': '',
      'keep.log': '',
      'dist/x.js': '',
      'src/dist/x.js': '',
      'src/.gitignore': '!b.log\nlocal\n',
      'src/b.log': '',
      'src/local/x': '',
    });
    assert.deepEqual(await listed(), ['.gitignore', 'keep.log', 'src/.gitignore', 'src/b.log', 'src/dist/x.js']);
  });

  it('never packs dependencies, history or env files, even when .gitignore takes them back', async () => {
    write({
      '.gitignore': '!.env\n!node_modules\n',
      '.env': 'SECRET=1',
      '.env.local': '',
      'app/.env.production': '',
      'node_modules/a/index.js': '',
      'app/node_modules/b.js': '',
      '.git/config': '',
      '.dockerignore': 'server.js',
      'server.js': '',
    });
    assert.deepEqual(await listed(), ['.dockerignore', '.gitignore', 'server.js']);
  });

  describe('in a repository', () => {
    const git = (...args: string[]): string => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' });
    const commit = (...paths: string[]): void => {
      git('add', '-f', ...paths);
      git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'more');
    };

    it('holds what a commit of the folder would: tracked files below ignored paths, and nothing that is ignored', async () => {
      git('init', '-q');
      write({
        '.gitignore': 'dist\n*.log\nnode_modules\n',
        'dist/tracked.js': '',
        'dist/made.js': '',
        'node_modules/own/index.js': '',
        'node_modules/other/index.js': '',
        'app/new.js': '',
        'app/gone.js': '',
        'a.log': '',
      });
      commit('.gitignore', 'dist/tracked.js', 'node_modules/own/index.js', 'app/gone.js');
      rmSync(join(root, 'app/gone.js'));
      assert.deepEqual(await listed(), ['.gitignore', 'app/new.js', 'dist/tracked.js', 'node_modules/own/index.js']);
      const below = await listFolder(join(root, 'dist'));
      assert.deepEqual(
        below.map(({ path }) => path),
        ['tracked.js'],
      );
    });

    it('never packs an env file that is not tracked as it is: a local value in a template stays here', async () => {
      git('init', '-q');
      write({ 'server.js': '', '.env.example': 'KEY=', '.env': 'KEY=default', '.env.local': 'KEY=secret' });
      commit('.env.example', '.env');
      assert.deepEqual(await listed(), ['.env', '.env.example', 'server.js']);
      git('update-index', '--skip-worktree', '.env');
      write({ '.env': 'KEY=secret' });
      assert.deepEqual(await listed(), ['.env.example', 'server.js']);
    });

    it('packs a repository inside it, but not its history, and a folder that a repository around it ignores', async () => {
      git('init', '-q');
      write({ 'inner/a.js': '', '.gitignore': 'apart\n', 'apart/server.js': '' });
      execFileSync('git', ['-C', join(root, 'inner'), 'init', '-q']);
      assert.deepEqual(await listed(), ['.gitignore', 'inner/a.js']);
      assert.deepEqual(
        (await listFolder(join(root, 'apart'))).map(({ path }) => path),
        ['server.js'],
      );
    });
  });

  it('refuses a symbolic link that leaves the folder, by any way', async () => {
    write({ 'in/file': 'x' });
    const targets = ['/etc/passwd', '../outside', 'in/../../outside', join(root, 'in/file')];
    for (const target of targets) {
      symlinkSync(target, join(root, 'link'));
      await assert.rejects(listFolder(root), { code: 'SOURCE_REFUSED', exit: 'usage' }, target);
      rmSync(join(root, 'link'));
    }
  });

  it('keeps inner links, empty files and the executable bit, and nothing of owner or time', async () => {
    write({ 'run.sh': '#!/bin/sh', empty: '', 'dir/file': 'x' });
    chmodSync(join(root, 'run.sh'), 0o700);
    symlinkSync('dir/file', join(root, 'link'));
    const seen = await headers();
    assert.deepEqual(
      seen.map(({ name, type, mode, linkname, size }) => [name, type, mode, linkname ?? null, size]),
      [
        ['dir/file', 'file', 0o644, null, 1],
        ['empty', 'file', 0o644, null, 0],
        ['link', 'symlink', 0o644, 'dir/file', 0],
        ['run.sh', 'file', 0o755, null, 9],
      ],
    );
    assert.ok(seen.every(({ uid, gid, mtime }) => uid === 0 && gid === 0 && mtime?.getTime() === 0));
  });

  it('gives the same bytes for the same content', async () => {
    const digest = async (): Promise<string> =>
      createHash('sha256')
        .update(await buffer(packFolder(root, await listFolder(root), silent)))
        .digest('hex');
    write({ b: '2', a: '1' });
    const first = await digest();
    rmSync(join(root, 'a'));
    write({ a: '1' });
    assert.equal(await digest(), first);
  });

  it('streams a huge file with bounded memory', async () => {
    write({ huge: '' });
    truncateSync(join(root, 'huge'), 600 * 1024 * 1024);
    const before = process.memoryUsage.rss();
    let most = before;
    let bytes = 0;
    for await (const chunk of packFolder(root, await listFolder(root), silent)) {
      bytes += chunk.length;
      most = Math.max(most, process.memoryUsage.rss());
    }
    assert.ok(bytes > 100_000);
    assert.ok(most - before < 150 * 1024 * 1024, `grew by ${formatBytes(most - before)}`);
  });

  it('stops at the limit and names the largest files', async () => {
    write({ small: 'x', big: Array.from({ length: 9_000 }, (_, index) => `${Math.sin(index)}`).join('') });
    const stream = packFolder(root, await listFolder(root), silent, 10_000);
    await assert.rejects(buffer(stream), { code: 'PAYLOAD_TOO_LARGE', remedy: /largest: big \(/ });
  });

  it('fails when a file shrinks or goes away while it is packed', async () => {
    write({ a: 'x', b: 'y' });
    const entries = await listFolder(root);
    rmSync(join(root, 'b'));
    await assert.rejects(buffer(packFolder(root, entries, silent)), /b cannot be read/);
  });

  it('refuses a folder with nothing in it', async () => {
    write({ '.env': 'A=1' });
    await assert.rejects(listFolder(root), { code: 'SOURCE_EMPTY' });
  });
});
