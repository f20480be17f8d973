import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAcceptDelivery } from '../../../api/git-hooks/accept-delivery.ts';
import { type GitConnection, sealingContext } from '../../../domain/git-hooks/connection.ts';
import { createGitHooksParts } from '../../support/in-memory/git-hooks-parts.ts';
import { pushBody, signDelivery } from '../../support/sign-delivery.ts';

/** One builder whose reads of connections are under way until they are let go, and a connection that `old` and `next` sign. */
async function deliveringTo() {
  const parts = createGitHooksParts();
  const { connection } = await parts.connected();
  const secrets = ['next', 'old'].map((secret) => {
    const id = `ghs_${secret}`;
    return { id, sealed: parts.cipher.seal(secret, sealingContext(connection.id, id)), createdAt: parts.now() };
  });
  await parts.gitConnections.replace({ ...connection, secrets }, connection.revision);
  const reads = Promise.withResolvers<void>();
  const find = async (id: string): Promise<GitConnection | null> => {
    const found = await parts.gitConnections.find(id);
    await reads.promise;
    return found;
  };
  const accept = createAcceptDelivery({
    ...parts,
    gitConnections: { ...parts.gitConnections, find },
    ...{
      audit: null,
      randomSecret: () => Buffer.alloc(32),
      localSourcesRoot: null,
      hooksUrl: 'https://builder.example',
    },
  });
  /** The status of a delivery that `secret` signed. It is under way when this returns. */
  const deliver = async (secret: string): Promise<number> => {
    const { body, headers } = signDelivery('gitea', secret, { body: pushBody({ secret }) });
    const stream = (async function* () {
      yield Buffer.from(body);
    })();
    return await accept(connection.id, { headers, stream }).then(
      () => 202,
      ({ code }) => (code === 'UNAUTHORIZED' ? 401 : 500),
    );
  };
  const current = async (): Promise<GitConnection> => {
    const found = await parts.gitConnections.find(connection.id);
    assert.ok(found !== null);
    return found;
  };
  return { parts, current, deliver, letReadsEnd: () => reads.resolve() };
}

it('a secret that another builder took away proves no delivery that comes after that', async () => {
  const { parts, current, deliver, letReadsEnd } = await deliveringTo();
  const before = deliver('old');
  const connection = await current();
  const finished = { ...connection, secrets: connection.secrets.slice(0, 1) };
  assert.ok(await parts.gitConnections.replace(finished, connection.revision));
  const after = [deliver('old'), deliver('next')];
  letReadsEnd();
  assert.deepEqual([await before, ...(await Promise.all(after))], [202, 401, 202]);
});

it('a connection that another builder removed takes no delivery that comes after that', async () => {
  const { parts, current, deliver, letReadsEnd } = await deliveringTo();
  const before = deliver('next');
  assert.ok(await parts.gitConnections.remove((await current()).id));
  const after = deliver('next');
  letReadsEnd();
  assert.deepEqual([await before, await after], [202, 401]);
});

it('however many come at once, each connection is read twice', async () => {
  const { parts, deliver, letReadsEnd } = await deliveringTo();
  let reads = 0;
  const { find } = parts.gitConnections;
  parts.gitConnections.find = (id) => {
    reads += 1;
    return find(id);
  };
  const statuses = Array.from({ length: 200 }, () => deliver('next'));
  letReadsEnd();
  assert.deepEqual(new Set(await Promise.all(statuses)), new Set([202]));
  assert.equal(reads, 2);
});
