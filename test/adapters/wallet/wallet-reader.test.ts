import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { createWalletReader } from '../../../adapters/wallet/wallet-reader.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { freePort } from '../../support/free-port.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { KEY, startWallet } from '../../support/start-wallet.ts';

const signal = new AbortController().signal;

/** A server in the wallet's place. */
async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answering = (status: number, text: string): RequestListener => {
  return (_request, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(text);
};
const balanceOf = (org: string, balance: unknown) => JSON.stringify({ success: true, data: { org, balance } });
const failure = (code: string) => JSON.stringify({ success: false, error: { code, message: 'no' } });

describe('the reader of the wallet', () => {
  it('reads all that an org can spend', async () => {
    const wallet = await startWallet();
    try {
      const reader = createWalletReader({ url: wallet.address, internalKey: KEY });
      assert.equal(await reader.readBalance('acme', signal), 50_000);
    } finally {
      await wallet.stop();
    }
  });

  it('says which org the wallet does not know, as an error that is not the wallet’s', async () => {
    const orgs = { requireOrg: () => Promise.reject(new FairleadError('ORG_NOT_FOUND', 'no')) };
    const wallet = await startWallet({ orgs });
    try {
      const reader = createWalletReader({ url: wallet.address, internalKey: KEY });
      const error = { code: 'ORG_NOT_FOUND', message: 'The wallet knows no org nobody.', system: undefined };
      await assert.rejects(reader.readBalance('nobody', signal), error);
    } finally {
      await wallet.stop();
    }
  });

  const FAULTS: readonly [what: string, listener: RequestListener, message: RegExp][] = [
    ['no JSON', answering(200, '<html>'), /answered 200 in an unexpected format/],
    ['JSON of another kind', answering(200, '[]'), /unexpected format/],
    ['no balance', answering(200, JSON.stringify({ success: true, data: { org: 'acme' } })), /unexpected format/],
    ['a fraction', answering(200, balanceOf('acme', 0.5)), /unexpected format/],
    ['less than nothing', answering(200, balanceOf('acme', -1)), /unexpected format/],
    ['a text for a number', answering(200, balanceOf('acme', '50000')), /unexpected format/],
    ['another org', answering(200, balanceOf('rival', 9)), /another org/],
    ['more than it may', answering(200, `${balanceOf('acme', 9)}${' '.repeat(100_000)}`), /more than 64 KiB/],
    ['a refused key', answering(401, failure('UNAUTHORIZED')), /does not take the key/],
    ['an error of its own', answering(500, failure('INTERNAL')), /failed with INTERNAL/],
    ['an error of a proxy', answering(502, 'Bad Gateway'), /answered 502/],
    ['a redirect', (_request, response) => void response.writeHead(302, { location: '/x' }).end(), /cannot be reached/],
    [
      'half an answer',
      (_request, response) => void response.writeHead(200, { 'content-length': 99 }).write('{"su'),
      /did not answer/,
    ],
    ['a cut connection', (request) => void request.socket.destroy(), /cannot be reached/],
    ['silence', () => undefined, /did not answer within 0.3 s/],
  ];
  for (const [what, listener, message] of FAULTS) {
    it(`takes ${what} for a wallet that is away`, async (t) => {
      const timeoutMs = message.source.includes('did not answer') ? 300 : PATIENCE_MS;
      const reader = createWalletReader({ url: await serve(t, listener), internalKey: KEY, timeoutMs });
      await assert.rejects(reader.readBalance('acme', signal), {
        ...{ code: 'UNAVAILABLE', system: 'wallet', retryable: true },
        message,
      });
    });
  }

  it('takes a port where nobody listens for a wallet that is away', async () => {
    const reader = createWalletReader({ url: `http://127.0.0.1:${await freePort()}`, internalKey: KEY });
    await assert.rejects(reader.readBalance('acme', signal), {
      ...{ code: 'UNAVAILABLE', system: 'wallet' },
      message: 'The wallet cannot be reached.',
    });
  });

  it('ends when its caller stops waiting, as the caller’s end', async (t) => {
    const stopped = new AbortController();
    const url = await serve(t, () => stopped.abort());
    const reader = createWalletReader({ url, internalKey: KEY });
    await assert.rejects(reader.readBalance('acme', stopped.signal), { name: 'AbortError' });
  });
});
