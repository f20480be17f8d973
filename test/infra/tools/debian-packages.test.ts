import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  newerDebianPackages,
  unpackDebianPackages,
  unpackedRelease,
} from '../../../infra/dev/tools/debian-packages.ts';

/** What apt and dpkg of Debian 12 answer; versions are compared as text. */
const APT_CACHE = `#!/bin/sh
[ "$LC_ALL" = C ] || exit 1
cat <<'END'
redis-server:
  Installed: (none)
  Candidate: 5:7.0.15-1~deb12u10
  Version table:
     5:7.0.15-1~deb12u10 500
libjemalloc2:
  Installed: 5.3.0-1
  Candidate: 5.3.0-1
  Version table:
libgone1:
  Installed: (none)
  Candidate: (none)
  Version table:
END
`;
const APT_GET = `#!/bin/sh
shift
for name in "$@"; do : > "\${name}_5%3a7.0.15-1~deb12u10_amd64.deb"; done
`;
const DPKG = `#!/bin/sh
[ "$1" = -x ] && exec mkdir -p "$3"
[ "$2" != "$4" ]
`;

test('what was unpacked is known by its packages, and what apt has instead of them is newer', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-debian-'));
  const path = process.env.PATH;
  t.after(async () => {
    process.env.PATH = path;
    await rm(folder, { recursive: true, force: true });
  });
  const [bin, unpacked] = [join(folder, 'bin'), join(folder, 'unpacked')];
  for (const one of [bin, unpacked]) await mkdir(one);
  for (const [name, text] of Object.entries({ 'apt-cache': APT_CACHE, 'apt-get': APT_GET, dpkg: DPKG })) {
    await writeFile(join(bin, name), text);
    await chmod(join(bin, name), 0o755);
  }
  process.env.PATH = `${bin}:${path}`;
  assert.deepEqual([await newerDebianPackages(bin), await unpackedRelease(bin, /./)], [null, null], 'no packages');
  await mkdir(join(unpacked, 'root'));
  assert.equal(await newerDebianPackages(unpacked), 'packages of a known version', 'a folder of before the list');
  assert.match((await unpackedRelease(unpacked, /^redis-server$/)) ?? '', /unknown version/);
  await unpackDebianPackages(unpacked, ['redis-server', 'libc6']);
  assert.equal(await newerDebianPackages(unpacked), null);
  assert.equal(await unpackedRelease(unpacked, /^redis-server$/), 'Debian package redis-server 5:7.0.15-1~deb12u10');
  const list = { 'redis-server': '5:7.0.15-1~deb12u7', libjemalloc2: '5.3.0-1', libgone1: '1' };
  await writeFile(join(unpacked, 'packages.json'), JSON.stringify(list));
  assert.equal(await newerDebianPackages(unpacked), 'redis-server 5:7.0.15-1~deb12u10');
  await rm(join(bin, 'apt-cache'));
  process.env.PATH = bin;
  await assert.rejects(newerDebianPackages(unpacked), /apt-cache is not installed/);
});
