import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findDockerCli } from '../../../adapters/docker/docker-cli.ts';

const CAN = 'echo "  --progress string"; echo "  --secret stringArray"';
const CANNOT = 'echo "ERROR: BuildKit is enabled but the buildx component is missing or broken." >&2; exit 1';

describe('findDockerCli', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-cli-'));
    for (const [name, script] of Object.entries({ can: CAN, cannot: CANNOT })) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'docker'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
  });
  after(() => rm(folder, { recursive: true }));

  const find = (names: readonly string[], preferred?: string) => {
    const PATH = [...names.map((name) => join(folder, name)), '/bin'].join(':');
    return findDockerCli({ preferred, env: { PATH }, signal: AbortSignal.timeout(10_000) });
  };

  it('takes the first client of PATH that can do BuildKit', async () => {
    assert.deepEqual(await find(['cannot', 'can']), { path: join(folder, 'can', 'docker'), buildkit: true });
  });

  it('prefers the named client where it can do BuildKit', async () => {
    const named = join(folder, 'can', 'docker');
    assert.deepEqual(await find(['cannot'], named), { path: named, buildkit: true });
  });

  it('passes over a named client that does not exist', async () => {
    assert.deepEqual(await find(['can'], join(folder, 'none')), {
      path: join(folder, 'can', 'docker'),
      buildkit: true,
    });
  });
});
