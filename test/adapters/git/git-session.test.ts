import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { withGitSession } from '../../../adapters/git/git-session.ts';
import { SESSION_PREFIX, sweepDeadSessions } from '../../../adapters/git/sweep-sessions.ts';
import { baseEnv } from '../../../adapters/process/base-env.ts';
import { type GitFixture, makeGitFixture, openSessions } from './git-fixture.ts';

describe('withGitSession', () => {
  let fx: GitFixture;
  before(async () => {
    fx = await makeGitFixture('session-token');
  });
  after(() => fx.end());

  /** A session on the fixture's host under a name that nobody can resolve. */
  async function listRefs(pinnedAddresses: readonly string[], token = 'session-token') {
    const port = Number(new URL(fx.host.url).port);
    const url = `http://pinned.invalid:${port}/app`;
    const target = { kind: 'http', url, hostname: 'pinned.invalid', port, ofPlatform: false } as const;
    const options = {
      place: { target, access: { with: 'GIT_TOKEN' } } as const,
      credential: { username: 'x', token },
      pinnedAddresses,
      env: baseEnv(process.env),
      signal: new AbortController().signal,
    };
    return await withGitSession(options, (session) => session.attempt(['ls-remote', '--', url]));
  }

  it('connects to the addresses it is given and does not resolve the name again', async () => {
    const pinned = await listRefs(['127.0.0.1']);
    assert.equal(pinned.exitCode, 0, pinned.stderr);
    assert.match(pinned.stdout, /refs\/heads\/main/);
    assert.match((await listRefs([])).stderr, /Could not resolve host/);
  });

  it('takes the token out of what git writes', async () => {
    // A token that is part of every message stands in for one that git repeats.
    const { stderr } = await listRefs([], 'resolve');
    assert.match(stderr, /Could not \[redacted\] host/);
  });

  it('removes its private directory, also after an error', async () => {
    await listRefs(['127.0.0.1']);
    assert.deepEqual(openSessions(), []);
  });

  it('fetches no more than a pack may hold, and says so', async () => {
    writeFileSync(join(fx.repository, 'large.bin'), randomBytes(512 * 1024));
    fx.git('add', '-A');
    fx.git('commit', '-qm', 'large');
    const target = { kind: 'local', path: fx.repository } as const;
    const place = { target, access: { with: 'nothing', why: 'no-token' } } as const;
    const directory = join(fx.base, 'bounded');
    const session = { place, credential: null, pinnedAddresses: [], env: baseEnv(process.env) };
    const signal = new AbortController().signal;
    const clone = (maxPackBytes: number): Promise<string> =>
      withGitSession({ ...session, signal, maxPackBytes }, (git) =>
        git.run(['clone', '--quiet', '--no-local', '--depth=1', '--', fx.repository, directory]),
      );
    await assert.rejects(clone(128 * 1024), { code: 'SOURCE_REFUSED', message: /too large to fetch/ });
    rmSync(directory, { recursive: true, force: true });
    await clone(4 * 1024 * 1024);
    assert.ok(existsSync(join(directory, 'large.bin')));
  });

  it('sweeps directories of dead processes once they are old, and no others', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'sweep-'));
    const make = (name: string, ageMs: number): string => {
      const path = join(parent, name);
      mkdirSync(path);
      const time = new Date(Date.now() - ageMs);
      utimesSync(path, time, time);
      return path;
    };
    const day = 86_400_000;
    const dead = make(`${SESSION_PREFIX}99999999-a`, day);
    const kept = [
      make(`${SESSION_PREFIX}99999999-b`, 0),
      make(`${SESSION_PREFIX}${process.pid}-c`, day),
      make('other', day),
    ];
    await sweepDeadSessions(parent);
    assert.deepEqual([existsSync(dead), ...kept.map((path) => existsSync(path))], [false, true, true, true]);
    rmSync(parent, { recursive: true });
  });
});
