import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unmadeFolder } from '../../../domain/deploys/refused-write.ts';

for (const [line, folder] of [
  ["Error: EROFS: read-only file system, mkdir '/app/data'", '/app/data'],
  ["Error: ENOENT: no such file or directory, mkdir '/etc/todos'", '/etc/todos'],
  ["Error: EROFS: read-only file system, mkdir './logs/'", 'logs'],
  ["Error: EACCES: permission denied, mkdir 'logs'", 'logs'],
  ['panic: mkdir /var/lib/app: read-only file system', '/var/lib/app'],
  ["mkdir: cannot create directory '/logs': Permission denied", '/logs'],
  ["mkdir: can't create directory 'tmp/pids': Read-only file system", 'tmp/pids'],
  ['nginx: [emerg] mkdir() "/var/lib/nginx/body" failed (30: Read-only file system)', '/var/lib/nginx/body'],
  // Files, which may be in a folder that the image has.
  ["Error: EROFS: read-only file system, open '/app/data/x'", null],
  ['Error: SQLITE_CANTOPEN: unable to open database file', null],
  // Not within the container's own tree, or nothing that a mount can be made at.
  ["Error: EACCES: permission denied, mkdir '/'", null],
  ["Error: EACCES: permission denied, mkdir '/proc/x'", null],
  ["Error: EACCES: permission denied, mkdir '/sys'", null],
  ["Error: EACCES: permission denied, mkdir '/dev/shm/x'", null],
  ["Error: EACCES: permission denied, mkdir 'proc'", null],
  ["Error: EACCES: permission denied, mkdir '/etc'", null],
  ["Error: EACCES: permission denied, mkdir '../secrets'", null],
  ["Error: EACCES: permission denied, mkdir '/app/../etc'", null],
  ["Error: EACCES: permission denied, mkdir '/app/./x'", null],
  ["Error: EACCES: permission denied, mkdir '/app:/x'", null],
  ['everything is well', null],
] as const) {
  test(`the folder that a program could not make: ${line}`, () => {
    assert.equal(unmadeFolder(['first', line, 'last']), folder);
  });
}
