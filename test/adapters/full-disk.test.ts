import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { FullDiskOutcomes } from './full-disk-child.ts';

const DISK_KIB = 256;
const CHILD = join(import.meta.dirname, 'full-disk-child.ts');

/** Runs the child where `$1` is a file system of its own: in a mount namespace, which needs no root. */
const ON_A_SMALL_DISK = `mount -t tmpfs -o size=${DISK_KIB}k fairlead-test "$1" && exec "$0" --disable-warning=ExperimentalWarning ${JSON.stringify(CHILD)} "$@"`;

describe('a disk that is full', () => {
  const base = mkdtempSync(join(tmpdir(), 'full-disk-'));
  let outcomes: FullDiskOutcomes;
  before(() => {
    const [disk, repository, archives] = ['disk', 'repository', 'archives'].map((name) => join(base, name));
    assert.ok(disk && repository && archives);
    for (const path of [disk, repository, archives]) mkdirSync(path);
    writeFileSync(join(repository, 'large'), randomBytes(DISK_KIB * 2 * 1024));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: repository, stdio: 'pipe' });
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-qm', 'large');
    const tarball = join(archives, 'arc_large.tar.gz');
    execFileSync('tar', ['-czf', tarball, '-C', repository, 'large']);
    const sha256 = createHash('sha256').update(readFileSync(tarball)).digest('hex');
    const shell = ['sh', '-c', ON_A_SMALL_DISK, process.execPath, disk, repository, archives, sha256];
    const printed = execFileSync('unshare', ['--map-root-user', '--mount', ...shell], { encoding: 'utf8' });
    outcomes = JSON.parse(printed);
  });
  after(() => rmSync(base, { recursive: true, force: true }));

  it('has the free space that the workspace tells', () => {
    const { before, after, writtenBytes } = outcomes.free;
    assert.equal(before, DISK_KIB * 1024);
    assert.equal(after, before - writtenBytes);
  });

  it('makes an upload DISK_FULL, and leaves no part of it', () => {
    const { code, message, left } = outcomes.upload;
    assert.deepEqual([code, left], ['DISK_FULL', []]);
    assert.match(message, /No space left for the uploaded archive in \S+; free some/);
  });

  it('makes a file that is written DISK_FULL and names it, and leaves no part of it', () => {
    const { code, message, left } = outcomes.written;
    assert.deepEqual([code, left], ['DISK_FULL', []]);
    assert.match(message, /No space left to write Dockerfile; free some/);
  });

  it('makes an archive that is unpacked DISK_FULL, and leaves nothing of its tree', () => {
    const { code, message, left } = outcomes.unpacked;
    assert.deepEqual([code, left], ['DISK_FULL', []]);
    assert.match(message, /No space left to unpack the archive; free some/);
  });

  it('makes a clone DISK_FULL by what git says, and leaves nothing of its tree', () => {
    const { code, message, left } = outcomes.cloned;
    assert.deepEqual([code, left], ['DISK_FULL', []]);
    assert.match(message, /No space left to fetch the source; free some/);
  });

  it('makes lines of a service DISK_FULL, and once there is room the same lines are written, none twice', () => {
    const { code, retryable, kept, written } = outcomes.output;
    assert.deepEqual([code, retryable, kept], ['DISK_FULL', true, written]);
    assert.ok(written > 5);
  });

  it('is no place for a data folder, and what is there stays', () => {
    const { code, message, left } = outcomes.dataFolder;
    assert.equal(code, 'DISK_FULL');
    assert.ok(left.includes('kept'));
    assert.match(message, /has 0\.0 GiB free, 2\.0 GiB are needed/);
  });
});
