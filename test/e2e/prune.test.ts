import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import Docker from 'dockerode';
import { waitUntil } from '../support/wait-until.ts';
import { api, completed, createService, removeService, repositoryOf, trigger, uniqueName, visit } from './harness.ts';
import { temporalClient } from './sample-service.ts';

describe('pruning', () => {
  it('keeps the images of the last two releases, removes older ones, and can still roll back', async () => {
    const docker = new Docker();
    const name = uniqueName('pruned');
    await using repository = await repositoryOf('express-npm');
    await createService(name, { gitUrl: repository.path });
    const commits: string[] = [];
    const digests: (string | null)[] = [];
    for (const turn of ['one', 'two', 'three']) {
      await writeFile(join(repository.path, 'note.txt'), turn);
      commits.push(await repository.commit(turn));
      const { buildId } = await trigger(name);
      digests.push((await completed(buildId)).imageDigest);
    }
    const imagesOf = async () => {
      const images = await docker.listImages({ filters: { label: [`fairlead.service=${name}`] } });
      return images.flatMap(({ RepoDigests }) => RepoDigests ?? []).toSorted();
    };
    const expected = digests.slice(1).map(String).toSorted();
    const filters = { label: [`fairlead.service=${name}`] };
    const onlyOne = async () => (await docker.listContainers({ all: true, filters })).length === 1;
    await waitUntil('only the workload that serves to be left', onlyOne, { withinMs: 30_000 });
    await using temporal = await temporalClient();
    await temporal.client.schedule.getHandle('prune-images').trigger();
    // The engine lists an image without its digest, while it removes it.
    const onlyExpected = async () => isDeepStrictEqual(await imagesOf(), expected);
    await waitUntil('the images of two releases to be left', onlyExpected, { withinMs: 60_000 });
    assert.equal(JSON.parse((await visit(name, '/health')).body).commit, commits[2]);
    const rollback = await api<{ buildId: string }>('POST', `/services/${name}/rollback`, {});
    await completed(rollback.data.buildId);
    assert.equal(JSON.parse((await visit(name, '/health')).body).commit, commits[1]);
    await removeService(name);
  });
});
