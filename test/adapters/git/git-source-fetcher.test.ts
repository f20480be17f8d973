import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type GitFixture, makeGitFixture, openSessions } from './git-fixture.ts';

const TOKEN = 'token-of-the-test';
const never = new AbortController().signal;
const source = (url: string, branch: string | null = null, id: string | null = null) =>
  ({ kind: 'git', url, branch, commit: id }) as const;

describe('createSourceFetcher', () => {
  let fx: GitFixture;
  const context = { signal: never, onLine: (line: string) => fx.lines.push(line) };
  before(async () => {
    fx = await makeGitFixture(TOKEN);
  });
  beforeEach(() => fx.reset());
  after(() => fx.end());
  const first = (): string => fx.commits[0] ?? '';
  const last = (): string => fx.commits.at(-1) ?? '';

  for (const kind of ['local path', 'file address', 'http address'] as const) {
    const url = (): string =>
      ({
        'local path': fx.repository,
        'file address': `file://${fx.repository}`,
        'http address': `${fx.host.url}/app`,
      })[kind];

    it(`${kind}: fetches the default branch, a branch, and any commit, without .git`, async () => {
      const { fetch } = fx.fetcher();
      assert.deepEqual(await fetch(source(url()), fx.target, context), { commitSha: last(), branch: 'main' });
      assert.equal(readFileSync(join(fx.target, 'link'), 'utf8'), 'version 4');
      assert.ok(lstatSync(join(fx.target, 'link')).isSymbolicLink());
      assert.ok(!existsSync(join(fx.target, '.git')));
      assert.deepEqual(await fetch(source(url(), 'release/1.0'), fx.target, context), {
        commitSha: first(),
        branch: 'release/1.0',
      });
      assert.deepEqual(readdirSync(fx.target), ['index.js']);
      const pinned = await fetch(source(url(), 'main', fx.commits[2] ?? ''), fx.target, context);
      assert.deepEqual(pinned, { commitSha: fx.commits[2], branch: 'main' });
      assert.equal(readFileSync(join(fx.target, 'index.js'), 'utf8'), 'version 2');
      assert.ok(fx.lines.some((line) => line.includes(fx.commits[2] ?? '-')));
    });

    it(`${kind}: finds abbreviated commits, of heads and inside the history`, async () => {
      const { fetch } = fx.fetcher();
      assert.equal((await fetch(source(url(), null, last().slice(0, 8)), fx.target, context)).commitSha, last());
      assert.equal(
        (await fetch(source(url(), 'gone', fx.commits[3]?.slice(0, 10) ?? ''), fx.target, context)).commitSha,
        fx.commits[3],
      );
    });

    it(`${kind}: resolves heads`, async () => {
      const { resolveHead } = fx.fetcher();
      assert.deepEqual(await resolveHead(url(), null, never), { commit: last(), branch: 'main' });
      assert.deepEqual(await resolveHead(url(), 'release/1.0', never), { commit: first(), branch: 'release/1.0' });
    });

    it(`${kind}: names a missing commit, a missing branch with close ones, an empty fx.repository and none at all`, async () => {
      const { fetch, resolveHead } = fx.fetcher();
      await assert.rejects(fetch(source(url(), 'main', 'a'.repeat(40)), fx.target, context), {
        code: 'COMMIT_NOT_FOUND',
        retryable: false,
      });
      await assert.rejects(fetch(source(url(), null, 'abcdef123'), fx.target, context), {
        code: 'COMMIT_NOT_FOUND',
        message: /full id/,
      });
      const missing = { code: 'SOURCE_MISSING', message: /no branch release\/2\.0.*: release\/1\.0, main/ };
      await assert.rejects(fetch(source(url(), 'release/2.0'), fx.target, context), missing);
      await assert.rejects(resolveHead(url(), 'release/2.0', never), missing);
      const empty = url().replace(/app$/, 'empty');
      mkdirSync(join(fx.base, 'repos', 'empty'), { recursive: true });
      execFileSync('git', ['init', '-q', '-b', 'main', join(fx.base, 'repos', 'empty')]);
      await assert.rejects(fetch(source(empty), fx.target, context), { code: 'SOURCE_MISSING', message: /is empty/ });
      await assert.rejects(fetch(source(empty, 'main'), fx.target, context), {
        code: 'SOURCE_MISSING',
        message: /is empty/,
      });
      await assert.rejects(resolveHead(url().replace(/app$/, 'none'), null, never), { code: 'SOURCE_MISSING' });
      assert.ok(!existsSync(fx.target));
      assert.deepEqual(openSessions(), []);
    });
  }

  it('a server that gives out branch heads only is asked for the branch, then for everything', async () => {
    fx.host.protocol2 = false;
    const { fetch } = fx.fetcher();
    for (const branch of ['main', 'release/1.0', 'gone', null]) {
      const result = await fetch(source(`${fx.host.url}/app`, branch, fx.commits[1] ?? ''), fx.target, context);
      assert.deepEqual(result, { commitSha: fx.commits[1], branch });
    }
    const unknown = fetch(source(`${fx.host.url}/app`, 'main', 'b'.repeat(40)), fx.target, context);
    await assert.rejects(unknown, { code: 'COMMIT_NOT_FOUND' });
  });

  it('fetches repositories with SHA-256 ids', async () => {
    const path = join(fx.base, 'repos', 'sha256');
    execFileSync('git', ['init', '-q', '-b', 'main', '--object-format=sha256', path]);
    writeFileSync(join(path, 'f'), 'x');
    execFileSync('git', ['-C', path, 'add', '.']);
    execFileSync('git', ['-C', path, '-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'one']);
    const { fetch } = fx.fetcher();
    assert.equal((await fetch(source(path, 'main'), fx.target, context)).commitSha?.length, 64);
    assert.equal((await fetch(source(path), fx.target, context)).commitSha?.length, 64);
  });

  it('removes what an earlier attempt left, and runs none of the repository’s hooks', async () => {
    mkdirSync(join(fx.target, 'left'), { recursive: true });
    const mark = join(fx.base, 'hook-ran');
    for (const hook of ['post-checkout', 'reference-transaction']) {
      writeFileSync(join(fx.repository, '.git/hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    }
    await fx.fetcher().fetch(source(fx.repository), fx.target, context);
    assert.ok(!existsSync(join(fx.target, 'left')));
    assert.ok(!existsSync(mark));
    for (const hook of ['post-checkout', 'reference-transaction']) rmSync(join(fx.repository, '.git/hooks', hook));
  });

  it('fetches from a local fx.repository that belongs to somebody else', {
    skip: process.getuid?.() !== 0 && 'needs root',
  }, async () => {
    const foreign = join(fx.base, 'repos', 'foreign');
    cpSync(fx.repository, foreign, { recursive: true });
    execFileSync('chown', ['-R', '65534:65534', foreign]);
    assert.equal((await fx.fetcher().fetch(source(foreign), fx.target, context)).commitSha, last());
  });

  it('says that submodules and LFS content are not fetched', async () => {
    fx.git('checkout', '-q', '-b', 'parts');
    fx.commit({
      '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = https://example.com/x\n',
      '.gitattributes': '*.bin filter=lfs diff=lfs\n',
    });
    fx.git('checkout', '-q', 'main');
    await fx.fetcher().fetch(source(fx.repository, 'parts'), fx.target, context);
    assert.ok(fx.lines.some((line) => /submodules/.test(line)) && fx.lines.some((line) => /LFS/.test(line)));
  });

  it('unpacks uploaded archives, and refuses one that was changed', async () => {
    const packed = execFileSync('git', ['-C', fx.repository, 'archive', '--format=tar.gz', 'HEAD']);
    const saved = await fx.archives.save(
      (async function* () {
        yield packed;
      })(),
      packed.length,
    );
    const archive = { kind: 'archive', archiveId: saved.id, sha256: saved.sha256 } as const;
    assert.deepEqual(await fx.fetcher().fetch(archive, fx.target, context), { commitSha: null, branch: null });
    assert.equal(readFileSync(join(fx.target, 'index.js'), 'utf8'), 'version 4');
    const changed = { ...archive, sha256: createHash('sha256').digest('hex') };
    await assert.rejects(fx.fetcher().fetch(changed, fx.target, context), { code: 'ARCHIVE_INVALID' });
    assert.ok(!existsSync(fx.target));
  });
});
