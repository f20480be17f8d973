import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { createGitCheck, isSafeForLocal, parseVersion } from '../../../adapters/git/git-version.ts';

const { signal } = new AbortController();

it('knows the versions of git whose clones of local repositories have no known hole', () => {
  const safe = ['2.39.4', '2.39.5', '2.40.2', '2.44.1', '2.45.1', '2.45.3', '2.46.0', '2.50.1.windows.2', '3.0'];
  const unsafe = ['2.37.7', '2.38.5', '2.39.3', '2.40.1', '2.43.3', '2.44.0', '2.45.0'];
  const verdicts = (versions: readonly string[]) =>
    versions.filter((version) => isSafeForLocal(parseVersion(`git version ${version}`)));
  assert.deepEqual(verdicts(safe), safe);
  assert.deepEqual(verdicts(unsafe), []);
});

it('an older git fetches from addresses and refuses local repositories; one that is too old refuses both', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fake-git-'));
  const checkOf = async (version: string) => {
    await writeFile(join(folder, 'git'), `#!/bin/sh\necho git version ${version}\n`);
    await chmod(join(folder, 'git'), 0o755);
    return createGitCheck({ PATH: `${folder}:/usr/bin:/bin` });
  };
  try {
    const older = await checkOf('2.43.0');
    await older(signal, 'http');
    const refused = { code: 'SOURCE_UNREACHABLE', message: /2\.43\.0 .* not safe for local repositories; install git/ };
    await assert.rejects(older(signal, 'local'), refused);
    const oldest = await checkOf('2.20.1');
    for (const kind of ['http', 'local'] as const) {
      await assert.rejects(oldest(signal, kind), { message: /too old \(2\.20\.1\)/ });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
