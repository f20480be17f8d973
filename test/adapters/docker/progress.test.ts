import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { engineError } from '../../../adapters/docker/docker-client.ts';
import { followProgress } from '../../../adapters/docker/progress.ts';

const WITHIN = { timeout: 10_000 };

/** An engine that shows some progress, and then nothing, until its connection is cut. */
const engine = createServer((_request, response) => {
  response.write('{"status":"Downloading"}\n{"sta');
  response.write('tus":"Extracting"}\n');
});

const progressStream = async (): Promise<IncomingMessage> => {
  const request = get({ host: '127.0.0.1', port: (engine.address() as AddressInfo).port });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
};

describe('followProgress', () => {
  before(() => once(engine.listen(0, '127.0.0.1'), 'listening'));
  after(() => {
    engine.closeAllConnections();
    engine.close();
  });

  it('aborted while the engine shows nothing: throws the reason', WITHIN, async () => {
    const abort = new AbortController();
    const seen: (string | undefined)[] = [];
    const following = followProgress(await progressStream(), abort.signal, ({ status }) => {
      seen.push(status);
      if (seen.length === 2) setImmediate(() => abort.abort(new Error('no progress')));
    });
    await assert.rejects(following, /no progress/);
    assert.deepEqual(seen, ['Downloading', 'Extracting']);
  });

  it('aborted before it begins: throws the reason', WITHIN, async () => {
    const stream = await progressStream();
    await assert.rejects(
      followProgress(stream, AbortSignal.abort(new Error('too late')), () => {}),
      /too late/,
    );
  });

  it('an engine that ends in the middle is UNAVAILABLE, not waited for', WITHIN, async () => {
    const stream = await progressStream();
    const following = followProgress(stream, new AbortController().signal, () => engine.closeAllConnections());
    await assert.rejects(following, (error: unknown) => {
      const { code, retryable } = engineError(error, 'Pulling', 'BASE_IMAGE_UNAVAILABLE');
      assert.deepEqual([code, retryable], ['UNAVAILABLE', true]);
      return true;
    });
  });
});
