import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { createRefReader } from '../../../adapters/git/ref-reader.ts';
import { baseEnv } from '../../../adapters/process/base-env.ts';
import { REF_COMMITS, refReaderSuite } from '../../ports/git-hooks/ref-reader.ts';
import { ofAcme, openSessions, ownersOf } from './git-fixture.ts';
import { type GitHttpServer, startGitHttpServer } from './git-http-server.ts';

const TOKEN = 'token-of-the-test';
const never = new AbortController().signal;

let base = '';
let host: GitHttpServer;
const commits: string[] = [];

const git = (...args: string[]): string => {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t'];
  const folder = join(base, 'repos', 'app');
  return execFileSync('git', ['-C', folder, ...identity, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
};

before(async () => {
  base = mkdtempSync(join(tmpdir(), 'ref-reader-'));
  const repository = join(base, 'repos', 'app');
  mkdirSync(repository, { recursive: true });
  git('init', '-q', '-b', 'main');
  for (const { message, files } of REF_COMMITS) {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(repository, path)), { recursive: true });
      writeFileSync(join(repository, path), text);
    }
    git('add', '-A');
    git('commit', '-qm', message);
    commits.push(git('rev-parse', 'HEAD'));
  }
  git('branch', 'release/1.0', commits[0] ?? '');
  git('tag', '-am', 'the first release', 'v1.0', commits[0] ?? '');
  git('config', 'uploadpack.allowFilter', 'true');
  host = await startGitHttpServer(join(base, 'repos'), TOKEN);
});
afterEach(() => {
  host.protocol2 = true;
  host.answer = 'serve';
  assert.deepEqual(openSessions(), []);
});
after(async () => {
  await host.close();
  rmSync(base, { recursive: true, force: true });
});

const readerOf = (token: string | null = TOKEN, times: { readWithinMs?: number } = {}) =>
  createRefReader(
    {
      ...{ gitUrl: host.url, gitToken: token, githubToken: null, localSourcesRoot: '/' },
      ...{ gitOwners: ownersOf(host.url), repositoryTokens: null },
      env: baseEnv(process.env),
    },
    times,
  );
const under = (addressOf: (name: string) => string) => () => ({
  reader: readerOf(),
  url: addressOf('app'),
  absent: addressOf('none'),
  commits,
});

refReaderSuite(
  'a local path',
  under((name) => join(base, 'repos', name)),
);
refReaderSuite(
  'an http address',
  under((name) => `${host.url}/${name}`),
);

describe('createRefReader', () => {
  it('does not know what changed where the server gives out no older commit', async () => {
    host.protocol2 = false;
    const url = `${host.url}/app`;
    const [first = '', second = '', last = ''] = commits;
    assert.equal(await readerOf().readMessage(ofAcme(url), second, never), null);
    assert.equal(
      await readerOf().hasChanged({ ...ofAcme(url), base: second, head: last, paths: ['docs'] }, never),
      null,
    );
    assert.equal(
      await readerOf().hasChanged({ ...ofAcme(url), base: first, head: last, paths: ['docs'] }, never),
      true,
    );
  });

  it('waits for no host that goes on without an answer, and ends when whoever asks does', async () => {
    host.answer = 'hang';
    const slow = { code: 'SOURCE_UNREACHABLE', retryable: true, message: /did not answer within 0\.2 s/ };
    const url = `${host.url}/app`;
    await assert.rejects(readerOf(TOKEN, { readWithinMs: 200 }).readRefs(ofAcme(url), never), slow);
    await assert.rejects(
      readerOf(TOKEN, { readWithinMs: 200 }).readMessage(ofAcme(url), commits[0] ?? '', never),
      slow,
    );
    const asker = new AbortController();
    const asked = readerOf().readRefs(ofAcme(url), asker.signal);
    asker.abort(new Error('asked no more'));
    await assert.rejects(asked, /asked no more/);
  });

  it('says what is wrong with a token, and that a host is away for now', async () => {
    const url = `${host.url}/app`;
    await assert.rejects(readerOf('wrong').readRefs(ofAcme(url), never), { code: 'SOURCE_REFUSED', retryable: false });
    host.answer = { status: 503 };
    await assert.rejects(readerOf().readRefs(ofAcme(url), never), { code: 'SOURCE_UNREACHABLE', retryable: true });
  });

  it('takes no name of a branch for a pattern, and no commit for an option', async () => {
    const url = `${host.url}/app`;
    await assert.rejects(readerOf().readRefs(ofAcme(url), never, ['refs/heads/*']), { code: 'SOURCE_REFUSED' });
    await assert.rejects(readerOf().readMessage(ofAcme(url), '--output=x', never), { code: 'SOURCE_REFUSED' });
    const query = { ...ofAcme(url), base: '--output=/tmp/x', head: '--output=/tmp/x', paths: [] };
    await assert.rejects(readerOf().hasChanged(query, never), { code: 'SOURCE_REFUSED' });
  });
});
