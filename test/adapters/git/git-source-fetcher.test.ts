import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { sourceFetcherSuite } from '../../ports/source-fetcher.ts';
import { type GitFixture, makeGitFixture, ofAcme, openSessions, readTree } from './git-fixture.ts';
import { startGitHttpServer } from './git-http-server.ts';

const TOKEN = 'token-of-the-test';
const never = new AbortController().signal;
const source = (url: string, branch: string | null = null, id: string | null = null) =>
  ({ kind: 'git', url, branch, commit: id }) as const;

let fx: GitFixture;
let closedHost = '';
before(async () => {
  fx = await makeGitFixture(TOKEN);
  execFileSync('git', ['init', '-q', '-b', 'main', join(fx.base, 'repos', 'empty')]);
  const closed = await startGitHttpServer(fx.base, null);
  await closed.close();
  closedHost = closed.url;
});
beforeEach(() => fx.reset());
afterEach(() => assert.deepEqual(openSessions(), []));
after(() => fx.end());

const ADDRESSES = {
  'local path': (name: string) => join(fx.base, 'repos', name),
  'file address': (name: string) => `file://${join(fx.base, 'repos', name)}`,
  'http address': (name: string) => `${fx.host.url}/${name}`,
};

for (const [kind, addressOf] of Object.entries(ADDRESSES)) {
  sourceFetcherSuite(kind, () => ({
    fetcher: fx.fetcher(),
    archives: fx.archives,
    repositories: {
      app: addressOf('app'),
      commits: fx.commits,
      empty: addressOf('empty'),
      absent: addressOf('none'),
    },
    unreachable: { fetcher: fx.fetcher({ gitUrl: closedHost }), url: `${closedHost}/app` },
    target: fx.target,
    async put(path, text) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    },
    tree: async (directory) => readTree(directory),
  }));
}

describe('createSourceFetcher', () => {
  const context = { org: 'acme', signal: never, onLine: (line: string) => fx.lines.push(line) };
  const last = (): string => fx.commits.at(-1) ?? '';

  it('subjects are data: long, many-lined and odd ones stay one bounded text each, and no file is fetched', async () => {
    const before = fx.git('rev-parse', 'HEAD');
    const subjects = [
      '--help',
      `x${'y'.repeat(100_000)}`,
      '%H %x00 %(trailers)',
      '$(id) `id`',
      'first\nsecond\n\nbody',
    ];
    for (const subject of subjects) fx.git('commit', '-q', '--allow-empty', '--cleanup=verbatim', '-m', subject);
    try {
      for (const url of [fx.repository, `${fx.host.url}/app`]) {
        const range = { ...ofAcme(url), since: before, until: fx.git('rev-parse', 'HEAD'), limit: 10 };
        const found = await fx.fetcher().commitSubjects(range, never);
        const [last, ...rest] = [...found].reverse();
        assert.equal(last, '--help');
        assert.match(rest[0] ?? '', /^xy{1,199} … \(cut\)$/);
        assert.deepEqual(rest.slice(1), ['%H %x00 %(trailers)', '$(id) `id`', 'first second']);
      }
    } finally {
      fx.git('reset', '-q', '--hard', before);
    }
  });

  it('subjects are not read of what is no commit id, nor of a server that gives no single commits', async () => {
    const range = { ...ofAcme(`${fx.host.url}/app`), since: fx.commits[1] ?? '', until: last(), limit: 10 };
    for (const until of ['--upload-pack=id', 'main', 'HEAD', '']) {
      await assert.rejects(fx.fetcher().commitSubjects({ ...range, until }, never), { code: 'SOURCE_REFUSED' });
    }
    fx.host.protocol2 = false;
    assert.deepEqual(await fx.fetcher().commitSubjects(range, never), []);
  });

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

  it('runs none of the repository’s hooks', async () => {
    const mark = join(fx.base, 'hook-ran');
    for (const hook of ['post-checkout', 'reference-transaction']) {
      writeFileSync(join(fx.repository, '.git/hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    }
    await fx.fetcher().fetch(source(fx.repository), fx.target, context);
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

  it('a remote on no branch gives the commit that it is at', async () => {
    const commit = fx.git('commit-tree', '-p', 'main', '-m', 'on no branch', 'main^{tree}');
    fx.git('checkout', '-q', '--detach', commit);
    const fetched = await fx.fetcher().fetch(source(fx.repository, null), fx.target, context);
    fx.git('checkout', '-q', 'main');
    assert.deepEqual(fetched, { commitSha: commit, branch: null });
  });

  it('a repository that lacks an object is told to be damaged, and not to be out of reach', async () => {
    const lost = join(fx.base, 'repos', 'lost');
    execFileSync('git', ['clone', '-q', '--no-hardlinks', fx.repository, lost]);
    const git = (...args: string[]) => execFileSync('git', ['-C', lost, ...args], { encoding: 'utf8' }).trim();
    writeFileSync(join(lost, 'large'), 'of a file that the copy lacks');
    git('add', 'large');
    git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '-m', 'large');
    const blob = git('rev-parse', 'HEAD:large');
    rmSync(join(lost, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true });
    await assert.rejects(fx.fetcher().fetch(source(`file://${lost}`), fx.target, context), {
      code: 'SOURCE_REFUSED',
      message: /damaged or malicious objects; run git fsck/,
    });
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
});
