import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { createCertificateAuthority } from '../../../adapters/acme/certificate-authority.ts';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import { createInMemoryAcmeAccounts } from '../../support/in-memory/certificate-stores.ts';
import { patience } from '../../support/patience.ts';

/** An authority that opens accounts alone, and refuses the first nonces that it is shown. It has no order, and says so by a code. */
async function startAccountsOnly({ refusedNonces }: { readonly refusedNonces: number }) {
  let refused = 0;
  let opened = 0;
  const server = createServer((request, response) => {
    const base = `http://${request.headers.host}`;
    response
      .setHeader('replay-nonce', randomBytes(8).toString('base64url'))
      .setHeader('content-type', 'application/json');
    const answer = (status: number, body: object, headers: Record<string, string> = {}) =>
      response.writeHead(status, headers).end(JSON.stringify(body));
    if (request.url === '/dir') {
      return answer(200, {
        newNonce: `${base}/nonce`,
        newAccount: `${base}/account`,
        meta: { caaIdentities: ['ca.example'] },
      });
    }
    const [, code] = /^\/order\/(\w+)$/.exec(request.url ?? '') ?? [];
    if (code !== undefined) return answer(400, { type: `urn:ietf:params:acme:error:${code}`, status: 400 });
    if (request.url !== '/account') return answer(200, {});
    if (refused < refusedNonces) {
      refused += 1;
      return answer(400, {
        type: 'urn:ietf:params:acme:error:badNonce',
        detail: 'JWS has an invalid anti-replay nonce',
      });
    }
    opened += 1;
    return answer(201, { status: 'valid' }, { location: `${base}/account/1` });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    directoryUrl: `http://127.0.0.1:${port}/dir`,
    opened: () => opened,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const authorityAt = (directoryUrl: string) =>
  createCertificateAuthority({
    ...{ directoryUrl, accounts: createInMemoryAcmeAccounts(), cipher: createSecretCipher([randomBytes(32)]) },
    ...{ email: null, externalAccount: null, profile: null, ca: null, now: () => new Date() },
  });

it('an account is opened although more nonces in a row are refused than the library tries', async () => {
  await using server = await startAccountsOnly({ refusedNonces: 7 });
  const { accountUrl } = await authorityAt(server.directoryUrl).describe(patience());
  assert.equal(accountUrl, server.directoryUrl.replace('/dir', '/account/1'));
  assert.equal(server.opened(), 1);
});

it('an authority that refuses every nonce is told as such, and asked anew by the next call', async () => {
  await using server = await startAccountsOnly({ refusedNonces: 24 });
  const authority = authorityAt(server.directoryUrl);
  await assert.rejects(authority.describe(patience()), {
    ...{ code: 'UNAVAILABLE', retryable: true },
    message: /^The certificate authority at 127\.0\.0\.1:\d+ gave no usable answer: .*anti-replay nonce/,
  });
  assert.deepEqual((await authority.describe(patience())).caaIdentities, ['ca.example']);
});

it('an authority that listens no more is told with the code of the system', async () => {
  const directoryUrl = await (async () => {
    await using server = await startAccountsOnly({ refusedNonces: 0 });
    return server.directoryUrl;
  })();
  await assert.rejects(authorityAt(directoryUrl).describe(patience()), {
    message: /gave no usable answer: .*ECONNREFUSED/,
  });
});

it('an order that the authority calls malformed, as step-ca does, is one that it does not know; other refusals say nothing of it', async () => {
  await using server = await startAccountsOnly({ refusedNonces: 0 });
  const authority = authorityAt(server.directoryUrl);
  const read = (code: string) => authority.readOrder(server.directoryUrl.replace('/dir', `/order/${code}`), patience());
  assert.equal(await read('malformed'), null);
  await assert.rejects(read('unauthorized'), { code: 'CERTIFICATE_REFUSED' });
});
