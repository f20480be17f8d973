import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { checkout } from './checkout.ts';
import type { CorpusRow } from './repositories.ts';

const run = promisify(execFile);
const AUTHOR = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'commit.gpgsign=false'];

describe('a repository of the corpus', () => {
  let folder: string;
  let row: CorpusRow;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-mirrors-'));
    process.env.CORPUS_MIRRORS = folder;
    process.env.XDG_CACHE_HOME = join(folder, 'cache');
    const mirror = join(folder, 'them+app', 'repo');
    const git = async (...args: string[]) => (await run('git', ['-C', mirror, ...AUTHOR, ...args])).stdout.trim();
    await mkdir(join(mirror, 'apps', 'web'), { recursive: true });
    await git('init', '--quiet');
    await writeFile(join(mirror, 'server.js'), 'root\n');
    await writeFile(join(mirror, 'apps', 'web', 'vite.config.js'), 'settings\n');
    await writeFile(join(mirror, 'apps', 'web', 'main.js'), 'first\n');
    await git('add', '--all');
    await git('commit', '--quiet', '--message', 'first');
    const commit = await git('rev-parse', 'HEAD');
    await writeFile(join(mirror, 'apps', 'web', 'main.js'), 'later\n');
    await git('commit', '--quiet', '--all', '--message', 'later');
    row = { repository: 'them/app', commit, directory: 'apps/web', framework: 'static', expected: 'live' };
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is checked out from the folder of mirrors at its commit, not at the newest', async () => {
    await using source = await checkout(row);
    assert.equal(source.app, join(source.folder, 'apps/web'));
    assert.equal(await readFile(join(source.app, 'main.js'), 'utf8'), 'first\n');
  });

  it('is taken from the cache when it was fetched before', async () => {
    await (await checkout(row))[Symbol.asyncDispose]();
    const mirrors = process.env.CORPUS_MIRRORS;
    process.env.CORPUS_MIRRORS = join(folder, 'gone');
    await using source = await checkout(row).finally(() => {
      process.env.CORPUS_MIRRORS = mirrors;
    });
    assert.equal(await readFile(join(source.app, 'main.js'), 'utf8'), 'first\n');
  });

  it('of our own making is written as it is given, and committed', async () => {
    const files = { 'package.json': { name: 'own' }, 'src/app.js': 'first\n' };
    await using source = await checkout({ sample: 'own', framework: 'express', expected: 'live', files });
    assert.equal(await readFile(join(source.app, 'src/app.js'), 'utf8'), 'first\n');
    assert.equal(await source.changeOneLine(), 'src/app.js');
    const { stdout } = await run('git', ['-C', source.folder, 'log', '--format=%s']);
    assert.equal(stdout, 'change one line\nfirst\n');
  });

  it('is changed in a source of the app itself, not in its settings, and committed', async () => {
    await using source = await checkout(row);
    assert.equal(await source.changeOneLine(), 'apps/web/main.js');
    const { stdout } = await run('git', ['-C', source.folder, 'status', '--porcelain']);
    assert.equal(stdout, '');
    assert.equal(await readFile(join(source.app, 'main.js'), 'utf8'), 'first\n\n// changed\n');
    assert.equal(await readFile(join(source.folder, 'server.js'), 'utf8'), 'root\n');
  });
});
