import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { formatBytes, listFolder, packFolder } from '../../cli/pack-folder.ts';
import { readLocalRepository } from '../../cli/project.ts';

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

    it('leaves out an env file that git stores through a filter, and names the other files that it does', async () => {
      git('init', '-q');
      git('config', 'filter.crypt.clean', 'tr a-z n-za-m');
      write({
        '.gitattributes': '.env filter=crypt\nkey.txt filter=crypt\nplain.txt filter=other\n',
        '.env': 'KEY=secret',
        'key.txt': 'secret',
        'plain.txt': 'text',
      });
      commit('.');
      assert.equal(git('cat-file', 'blob', 'HEAD:.env'), 'KEY=frperg');
      const notes: string[] = [];
      const entries = await listFolder(root, (line) => notes.push(line));
      assert.deepEqual(
        entries.map(({ path }) => path),
        ['.gitattributes', 'key.txt', 'plain.txt'],
      );
      assert.deepEqual(notes, ['Uploaded as they are here, not as git stores them through a filter: key.txt']);
    });

    it('runs no filter, monitor or hook that the folder configures', async () => {
      git('init', '-q');
      write({ '.gitattributes': '* filter=own.er=x\n', '.env': 'KEY=', 'a.js': 'text' });
      commit('.');
      const ran = join(root, '.git/ran');
      write({ '.git/program': `#!/bin/sh\necho x >> '${ran}'\ncat\n` });
      const program = join(root, '.git/program');
      chmodSync(program, 0o755);
      mkdirSync(join(root, '.git/own-hooks'));
      symlinkSync(program, join(root, '.git/own-hooks/post-index-change'));
      git('config', 'core.fsmonitor', program);
      git('config', 'core.hooksPath', join(root, '.git/own-hooks'));
      git('config', 'filter.own.er=x.clean', program);
      git('config', 'filter.own.er=x.required', 'true');
      // The same size at another time: git has to read the file to tell whether it changed.
      utimesSync(join(root, 'a.js'), 1, 1);
      assert.deepEqual(await listed(), ['.env', '.gitattributes', 'a.js']);
      assert.equal((await readLocalRepository(root)).uncommitted, 0);
      assert.ok(!existsSync(ran));
      git('status');
      assert.ok(existsSync(ran), 'git itself runs it');
    });

    it('fetches no missing part of the repository through a program that the folder configures', async () => {
      const origin = join(root, 'origin');
      const folder = join(root, 'clone');
      write({ 'origin/.gitignore': 'secret\n' });
      const inFolder = (top: string, ...args: string[]): string =>
        execFileSync('git', ['-C', top, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      inFolder(origin, 'init', '-q');
      inFolder(origin, 'config', 'uploadpack.allowFilter', 'true');
      inFolder(origin, 'add', '.');
      inFolder(origin, '-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'first');
      inFolder(root, 'clone', '-q', '--no-local', '--filter=blob:none', '--no-checkout', origin, folder);
      inFolder(folder, 'read-tree', 'HEAD');
      inFolder(folder, 'update-index', '--skip-worktree', '.gitignore');
      write({ 'clone/secret': '', program: `#!/bin/sh\ntouch '${root}/ran'\nexec git-upload-pack "$@"\n` });
      chmodSync(join(root, 'program'), 0o755);
      inFolder(folder, 'config', 'remote.origin.uploadpack', join(root, 'program'));
      await assert.rejects(listFolder(folder), { code: 'SOURCE_REFUSED', message: /git cannot list/ });
      assert.ok(!existsSync(join(root, 'ran')));
      inFolder(folder, 'ls-files', '--others', '--exclude-standard');
      assert.ok(existsSync(join(root, 'ran')), 'git itself runs it');
    });

    it('packs nothing through a link that took the place of a tracked folder', async () => {
      const outside = mkdtempSync(join(tmpdir(), 'fairlead-outside-'));
      try {
        writeFileSync(join(outside, 'key'), 'of another folder');
        git('init', '-q');
        write({ '.gitignore': '/a\n', 'a/key': 'own', 'b/key': 'own', 'server.js': '' });
        commit('.gitignore', 'a/key', 'b/key');
        rmSync(join(root, 'a'), { recursive: true });
        symlinkSync(outside, join(root, 'a'));
        assert.deepEqual(await listed(), ['.gitignore', 'b/key', 'server.js']);
        const entries = await listFolder(root);
        rmSync(join(root, 'b'), { recursive: true });
        symlinkSync(outside, join(root, 'b'));
        await assert.rejects(buffer(packFolder(root, entries, silent)), /b\/key cannot be read/);
      } finally {
        rmSync(outside, { recursive: true });
      }
    });

    it('packs nothing that is ignored in a folder that took the place of a tracked file', async () => {
      git('init', '-q');
      write({ '.gitignore': '*.pem\n', config: '' });
      commit('.gitignore', 'config');
      rmSync(join(root, 'config'));
      write({ 'config/key.pem': '', 'config/a.js': '' });
      assert.deepEqual(await listed(), ['.gitignore', 'config/a.js']);
    });

    it('leaves out what a repository inside it ignores, by any of its ignore files', async () => {
      git('init', '-q');
      write({
        'server.js': '',
        'nested/a.js': '',
        'nested/.gitignore': '*.log\n',
        'nested/b.log': '',
        'nested/local-secret.pem': '',
        'nested/.env': '',
        'nested/inner/local-secret.pem': '',
      });
      for (const inner of ['nested', 'nested/inner']) {
        execFileSync('git', ['-C', join(root, inner), 'init', '-q']);
        write({ [`${inner}/.git/info/exclude`]: 'local-secret.pem\n' });
      }
      write({ 'nested/inner/b.js': '' });
      const expected = ['nested/.gitignore', 'nested/a.js', 'nested/inner/b.js', 'server.js'];
      assert.deepEqual(await listed(), expected);
      execFileSync('git', ['-C', join(root, 'nested'), 'config', 'extensions.unknown', 'true']);
      execFileSync('git', ['-C', join(root, 'nested'), 'config', 'core.repositoryFormatVersion', '1']);
      await assert.rejects(listFolder(root), { code: 'SOURCE_REFUSED', message: /repository nested: / });
    });
  });

  it('follows no link that took the place of a file while it is packed', async () => {
    write({ a: 'x', '.env': 'KEY=secret' });
    const entries = await listFolder(root);
    rmSync(join(root, 'a'));
    symlinkSync('.env', join(root, 'a'));
    await assert.rejects(buffer(packFolder(root, entries, silent)), /a cannot be read/);
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
