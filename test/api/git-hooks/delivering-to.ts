import assert from 'node:assert/strict';
import { createAcceptDelivery } from '../../../api/git-hooks/accept-delivery.ts';
import { type GitConnection, sealingContext } from '../../../domain/git-hooks/connection.ts';
import { createGitHooksParts } from '../../support/in-memory/git-hooks-parts.ts';
import { pushBody, signDelivery } from '../../support/sign-delivery.ts';

interface Sending {
  readonly connectionId?: string;
  readonly address?: string;
  /** Where the body breaks off. */
  readonly cutAt?: number;
}

/**
 * One builder whose reads of connections are under way until they are let go, a connection that `old` and `next` sign, and
 * what was read of the database and of bodies.
 */
export async function deliveringTo() {
  const parts = createGitHooksParts();
  const clock = { ms: Date.now() };
  const read = { connections: 0, bodies: 0 };
  const { connection } = await parts.connected();
  const secrets = ['next', 'old'].map((secret) => {
    const id = `ghs_${secret}`;
    return { id, sealed: parts.cipher.seal(secret, sealingContext(connection.id, id)), createdAt: parts.now() };
  });
  await parts.gitConnections.replace({ ...connection, secrets }, connection.revision);
  const reads = Promise.withResolvers<void>();
  const find = async (id: string): Promise<GitConnection | null> => {
    read.connections += 1;
    const found = await parts.gitConnections.find(id);
    await reads.promise;
    return found;
  };
  const accept = createAcceptDelivery({
    ...parts,
    now: () => new Date(clock.ms),
    gitConnections: { ...parts.gitConnections, find },
    ...{
      audit: null,
      randomSecret: () => Buffer.alloc(32),
      localSourcesRoot: null,
      hooksUrl: 'https://builder.example',
    },
  });

  /** The status of a delivery that `secret` signed. It is under way when this returns. */
  const deliver = async (secret: string, sending: Sending = {}): Promise<number> => {
    const { connectionId = connection.id, address = '192.0.2.1', cutAt } = sending;
    const { body, headers } = signDelivery('gitea', secret, { body: pushBody({ secret }) });
    const stream = (async function* () {
      read.bodies += 1;
      yield Buffer.from(body.slice(0, cutAt));
      if (cutAt !== undefined) throw new Error('the sender is gone');
    })();
    try {
      await accept(connectionId, { address, headers, stream });
      return 202;
    } catch (error) {
      return { UNAUTHORIZED: 401, RATE_LIMITED: 429 }[String((error as { code?: unknown }).code)] ?? 500;
    }
  };
  const current = async (): Promise<GitConnection> => {
    const found = await parts.gitConnections.find(connection.id);
    assert.ok(found !== null);
    return found;
  };
  return { parts, clock, read, current, deliver, letReadsEnd: () => reads.resolve() };
}
