import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { baseEnv } from '../../../adapters/process/base-env.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type GitFixture, makeGitFixture, ofAcme, openSessions } from './git-fixture.ts';
import { type GitHttpServer, startGitHttpServer } from './git-http-server.ts';

const TOKEN = `canary-${randomBytes(12).toString('hex')}`;
const never = new AbortController().signal;
const source = (url: string, branch: string | null = null, id: string | null = null) =>
  ({ kind: 'git', url, branch, commit: id }) as const;

/** Whether no file below a folder, which has some, holds the token. */
function isNowhereIn(folder: string): boolean {
  assert.ok(readdirSync(folder).length > 0, `${folder} has files`);
  const { status } = spawnSync('grep', ['-r', TOKEN, folder]);
  assert.notEqual(status, 2, 'grep could read them');
  return status === 1;
}

function gitProcessesWith(text: string): string[] {
  const all = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' });
  return all.split('\n').filter((line) => line.includes('git') && line.includes(text));
}

describe('createSourceFetcher, with sources that nobody trusts', () => {
  let fx: GitFixture;
  const context = { org: 'acme', signal: never, onLine: (line: string) => fx.lines.push(line) };
  before(async () => {
    fx = await makeGitFixture(TOKEN);
  });
  beforeEach(() => fx.reset());
  after(() => fx.end());

  it('refuses local sources where they are off, and addresses and names that are no good', async () => {
    const { fetch, resolveHead } = fx.fetcher({ localSourcesRoot: null });
    await assert.rejects(fetch(source(fx.repository), fx.target, context), {
      code: 'SOURCE_REFUSED',
      message: /LOCAL_SOURCES_ROOT/,
    });
    await assert.rejects(resolveHead(ofAcme(`file://${fx.repository}`), null, never), { code: 'SOURCE_REFUSED' });
    await assert.rejects(resolveHead(ofAcme('ext::sh -c id'), null, never), { code: 'SOURCE_REFUSED' });
    await assert.rejects(resolveHead(ofAcme(`${fx.host.url}/app`), '--upload-pack=id', never), {
      code: 'SOURCE_REFUSED',
    });
    await assert.rejects(fetch(source(`${fx.host.url}/app`, null, 'HEAD; id'), fx.target, context), {
      code: 'SOURCE_REFUSED',
    });
  });

  it('builds local repositories below the allowed folder alone, wherever links lead', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'allowed-')));
    try {
      const { fetch, resolveHead } = fx.fetcher({ localSourcesRoot: folder });
      const outside = { code: 'SOURCE_REFUSED', retryable: false, message: /LOCAL_SOURCES_ROOT/ };
      await assert.rejects(fetch(source(fx.repository), fx.target, context), outside);
      await symlink(fx.repository, join(folder, 'link'));
      await assert.rejects(resolveHead(ofAcme(join(folder, 'link')), null, never), outside);
      await assert.rejects(resolveHead(ofAcme(`${folder}/..`), null, never), outside);
      await assert.rejects(resolveHead(ofAcme(join(folder, 'nothing')), null, never), { code: 'SOURCE_MISSING' });
      const above = fx.fetcher({ localSourcesRoot: dirname(fx.repository) });
      assert.match((await above.resolveHead(ofAcme(fx.repository), null, never)).commit, /^[0-9a-f]{40}$/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('refuses a tree that a few objects make a million files of, before it writes one', async () => {
    const path = join(dirname(fx.repository), 'bomb');
    const git = (args: readonly string[], input = ''): string =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-C', path, ...args], {
        input,
        encoding: 'utf8',
      }).trim();
    mkdirSync(path);
    git(['init', '-q', '-b', 'main']);
    let entry = `100644 blob ${git(['hash-object', '-w', '--stdin'], 'x')}`;
    for (let depth = 0; depth < 6; depth += 1) {
      entry = `040000 tree ${git(['mktree'], Array.from('abcdefghij', (letter) => `${entry}\t${letter}\n`).join(''))}`;
    }
    git(['update-ref', 'refs/heads/main', git(['commit-tree', entry.slice('040000 tree '.length), '-m', 'bomb'])]);
    const tooMany = { code: 'SOURCE_REFUSED', message: /more than 100000 files and folders/ };
    const { fetch } = fx.fetcher();
    for (const branch of [null, 'main']) {
      await assert.rejects(fetch(source(path, branch), fx.target, context), tooMany);
      assert.equal(existsSync(fx.target), false);
    }
  });

  it('writes the bytes that were counted, whatever .gitattributes asks for', async () => {
    const path = join(dirname(fx.repository), 'attributes');
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-C', path, ...args]);
    mkdirSync(join(path, 'below'), { recursive: true });
    git('init', '-q', '-b', 'main');
    const files: Readonly<Record<string, string>> = {
      ...{ 'wide.txt': 'x'.repeat(1_000), 'lines.txt': '\n'.repeat(1_000), 'ids.txt': '$Id$'.repeat(1_000) },
      ...{ 'below/wide.txt': 'y'.repeat(1_000), 'macro.txt': '\n'.repeat(1_000), 'below/.gitattributes': '* !text\n' },
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
    git('add', '-A');
    const rules = [
      ...['[attr]windows text eol=crlf', 'macro.txt windows', 'lines.txt text eol=crlf', 'ids.txt ident'],
      ...['wide.txt working-tree-encoding=UTF-32', 'below/wide.txt working-tree-encoding=UTF-16'],
    ];
    writeFileSync(join(path, '.gitattributes'), rules.join('\n'));
    git('add', '.gitattributes');
    git('commit', '-qm', 'attributes');
    const { fetch } = fx.fetcher();
    for (const branch of [null, 'main']) {
      await fetch(source(path, branch), fx.target, context);
      for (const [name, text] of Object.entries(files)) {
        assert.equal(readFileSync(join(fx.target, name), 'utf8'), text, name);
      }
      fx.reset();
    }
  });

  it('sends the token to its own host, and it is found nowhere else', async () => {
    const seen: string[] = [];
    let fetching = true;
    const watch = (async () => {
      while (fetching) {
        seen.push(execFileSync('ps', ['-A', '-ww', 'e', '-o', 'args='], { encoding: 'utf8' }));
        await sleep(2);
      }
    })();
    const { fetch, resolveHead } = fx.fetcher();
    for (let round = 0; round < 3; round++) await fetch(source(`${fx.host.url}/app`, 'main'), fx.target, context);
    await resolveHead(ofAcme(`${fx.host.url}/app`), null, never);
    fetching = false;
    await watch;
    assert.ok(fx.host.requests.some(({ authorization }) => authorization !== undefined));
    assert.ok(
      seen.some((list) => list.includes('git')),
      'the listing saw git at work',
    );
    assert.ok(!seen.some((list) => list.includes(TOKEN)), 'process arguments and environments');
    assert.ok(!fx.lines.join('\n').includes(TOKEN), 'log');
    assert.ok(isNowhereIn(join(fx.base, 'workspace')), 'clone');
    assert.deepEqual(openSessions(), []);
  });

  it('while a fetch runs, the clone holds no token and the private file is readable by us alone', async () => {
    fx.host.answer = 'hang';
    const controller = new AbortController();
    const running = fx.fetcher().fetch(source(`${fx.host.url}/app`, 'main'), fx.target, {
      ...context,
      signal: controller.signal,
    });
    await waitUntil('git asked the server', () => fx.host.requests.length > 0);
    const [folder = ''] = openSessions();
    assert.equal(statSync(join(tmpdir(), folder)).mode & 0o777, 0o700);
    assert.equal(statSync(join(tmpdir(), folder, 'credential')).mode & 0o777, 0o600);
    assert.ok(!readFileSync(join(tmpdir(), folder, 'config'), 'utf8').includes(TOKEN));
    assert.ok(isNowhereIn(fx.target), 'clone');
    controller.abort(new Error('cancelled'));
    await assert.rejects(running, /cancelled/);
    assert.deepEqual(gitProcessesWith(fx.host.url), []);
    assert.deepEqual(openSessions(), []);
    assert.ok(!existsSync(fx.target));
  });

  it('kill -9 of our process during a fetch ends git', async () => {
    fx.host.answer = 'hang';
    const module = fileURLToPath(new URL('../../../adapters/git/git-source-fetcher.ts', import.meta.url));
    const script = `import { createSourceFetcher } from ${JSON.stringify(module)};
      const options = { gitUrl: ${JSON.stringify(fx.host.url)}, gitToken: null, githubToken: null, gitOwners: [], repositoryTokens: null, localSourcesRoot: null, archives: null };
      await createSourceFetcher({ ...options, env: { PATH: process.env.PATH } }).resolveHead({ url: ${JSON.stringify(`${fx.host.url}/app`)}, org: null }, null, new AbortController().signal);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    await waitUntil('git asked the server', () => fx.host.requests.length > 0);
    assert.ok(gitProcessesWith(fx.host.url).length > 0);
    child.kill('SIGKILL');
    await waitUntil('git ended', () => gitProcessesWith(fx.host.url).length === 0, { withinMs: 8_000 });
    for (const name of readdirSync(tmpdir())) {
      if (name.startsWith(`fairlead-git-${child.pid}-`)) rmSync(join(tmpdir(), name), { recursive: true });
    }
  });

  it('tells which variable to set, or that the token in it is refused', async () => {
    const url = `${fx.host.url}/app`;
    await assert.rejects(fx.fetcher({ gitToken: null }).resolveHead(ofAcme(url), null, never), {
      code: 'SOURCE_REFUSED',
      message: /set GIT_TOKEN/,
    });
    await assert.rejects(
      fx.fetcher({ gitToken: 'wrong-token' }).fetch(source(url), fx.target, context),
      (error: unknown) => {
        assert.ok(error instanceof FairleadError);
        assert.equal(error.code, 'SOURCE_REFUSED');
        assert.match(error.message, /does not accept the token in GIT_TOKEN/);
        assert.ok(!JSON.stringify([error, error.message, error.stack]).includes('wrong-token'));
        return true;
      },
    );
    assert.throws(() => fx.fetcher({ gitToken: 'two\nlines' }), { code: 'VALIDATION_FAILED' });
  });

  it('takes no password from ~/.netrc and no setting of the user', async () => {
    const home = join(fx.base, 'home');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, '.netrc'), `machine 127.0.0.1 login x password ${TOKEN}\n`, { mode: 0o600 });
    writeFileSync(join(home, '.gitconfig'), `[credential]\n\thelper = "!echo password=${TOKEN}; echo username=x #"\n`);
    const env = { ...baseEnv(process.env), HOME: home };
    await assert.rejects(fx.fetcher({ gitToken: null, env }).resolveHead(ofAcme(`${fx.host.url}/app`), null, never), {
      code: 'SOURCE_REFUSED',
    });
    assert.ok(fx.host.requests.length > 0);
    assert.ok(fx.host.requests.every(({ authorization }) => authorization === undefined));
  });

  it('does not follow redirects', async () => {
    const other = await startGitHttpServer(join(fx.base, 'repos'), null);
    fx.host.answer = { status: 302, headers: { location: `${other.url}/app/info/refs?service=git-upload-pack` } };
    await assert.rejects(fx.fetcher().resolveHead(ofAcme(`${fx.host.url}/app`), null, never), {
      code: 'SOURCE_REFUSED',
      message: /redirect/,
    });
    assert.equal(other.requests.length, 0);
    await other.close();
  });

  it('network faults may be retried, others not', async () => {
    const outcome = async (answer: GitHttpServer['answer'], url = `${fx.host.url}/app`) => {
      fx.host.answer = answer;
      const error: unknown = await fx
        .fetcher()
        .resolveHead(ofAcme(url), null, never)
        .catch((caught: unknown) => caught);
      assert.ok(error instanceof FairleadError, String(error));
      return [error.code, error.retryable];
    };
    assert.deepEqual(await outcome({ status: 503 }), ['SOURCE_UNREACHABLE', true]);
    assert.deepEqual(await outcome({ status: 429 }), ['SOURCE_UNREACHABLE', true]);
    assert.deepEqual(await outcome({ status: 403 }), ['SOURCE_REFUSED', false]);
    assert.deepEqual(await outcome({ status: 404 }), ['SOURCE_MISSING', false]);
    const closed = await startGitHttpServer(fx.base, null);
    await closed.close();
    const gone = fx.fetcher({ gitUrl: closed.url }).resolveHead(ofAcme(`${closed.url}/app`), null, never);
    await assert.rejects(gone, { code: 'SOURCE_UNREACHABLE', retryable: true });
  });

  it('does not connect to addresses inside, whatever the name says', async () => {
    const inside = [
      '127.0.0.1',
      '10.1.2.3',
      '192.168.0.1',
      '172.16.0.1',
      '169.254.169.254',
      '100.100.100.200',
      '168.63.129.16',
      '0.0.0.0',
      '::1',
      'fe80::1',
      'fd00:ec2::254',
      '::ffff:127.0.0.1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '224.0.0.1',
      '240.0.0.1',
    ];
    for (const address of inside) {
      const { resolveHead } = fx.fetcher({ lookup: async () => [{ address: '93.184.216.34' }, { address }] });
      await assert.rejects(
        resolveHead(ofAcme('https://git.example.com/org/repo'), null, never),
        { code: 'SOURCE_REFUSED', message: /public internet/ },
        address,
      );
    }
    for (const literal of ['127.0.0.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:10.0.0.1]', '169.254.169.254']) {
      await assert.rejects(
        fx.fetcher().resolveHead(ofAcme(`https://${literal}/org/repo`), null, never),
        { code: 'SOURCE_REFUSED' },
        literal,
      );
    }
    // The exception is for GIT_URL's own port and scheme alone.
    const port = new URL(fx.host.url).port;
    await assert.rejects(fx.fetcher().resolveHead(ofAcme(`https://127.0.0.1:${port}/app`), null, never), {
      code: 'SOURCE_REFUSED',
    });
    assert.equal(fx.host.requests.length, 0);
  });

  it('tells an unknown host from a resolver that fails', async () => {
    const failing = (code: string) =>
      fx.fetcher({
        lookup: async () => {
          throw Object.assign(new Error(code), { code });
        },
      });
    const url = 'https://git.example.com/org/repo';
    await assert.rejects(failing('ENOTFOUND').resolveHead(ofAcme(url), null, never), {
      code: 'SOURCE_UNREACHABLE',
      retryable: false,
    });
    await assert.rejects(failing('EAI_AGAIN').resolveHead(ofAcme(url), null, never), {
      code: 'SOURCE_UNREACHABLE',
      retryable: true,
    });
  });

  it('says when git is not installed', async () => {
    const { resolveHead } = fx.fetcher({ env: { PATH: '/nowhere' } });
    await assert.rejects(resolveHead(ofAcme(fx.repository), null, never), {
      code: 'SOURCE_UNREACHABLE',
      message: /install git/,
    });
  });
});
