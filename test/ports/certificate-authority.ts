import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { CertificateAuthority, CertificateKeys } from '../../domain/custom-domains/certificates/authority.ts';
import type { ChallengeAnswers } from '../../domain/custom-domains/certificates/ports.ts';
import { patience } from '../support/patience.ts';

export interface AuthorityUnderTest {
  readonly authority: CertificateAuthority;
  readonly keys: CertificateKeys;
  readonly answers: ChallengeAnswers;
  /** A name that leads to where the answers are given. */
  newHost(): Promise<string>;
}

/** What every {@link CertificateAuthority} guarantees. */
export function certificateAuthoritySuite(under: () => AuthorityUnderTest): void {
  const signal = patience();
  const settled = async (url: string, while_: readonly string[]): Promise<string> => {
    for (;;) {
      const { status = 'gone' } = (await under().authority.readOrder(url, signal)) ?? {};
      if (!while_.includes(status)) return status;
      await delay(100, undefined, { signal });
    }
  };

  describe('CertificateAuthority', () => {
    it('issues for names whose challenges are answered, and repeats nothing that is repeated', async () => {
      const { authority, keys, answers, newHost } = under();
      const names = [await newHost(), await newHost()];
      const { url, status } = await authority.placeOrder({ names, replaces: null }, signal);
      assert.equal(status, 'pending');
      const authorizations = await authority.readAuthorizations(url, signal);
      assert.deepEqual(authorizations.map(({ host }) => host).sort(), [...names].sort());
      for (const { host, challenges } of authorizations) {
        const challenge = challenges.find(({ method }) => method === 'http-01');
        assert.ok(challenge !== undefined && challenge.status === 'pending');
        await answers.put(host, challenge.token, challenge.answer);
        await authority.completeChallenge(challenge.url, signal);
        await authority.completeChallenge(challenge.url, signal);
      }
      assert.equal(await settled(url, ['pending']), 'ready');
      for (const { host, challenges } of authorizations) {
        for (const { token } of challenges) await answers.remove(host, token);
      }
      const key = await keys.createKey();
      for (const _ of ['once', 'and again']) await authority.finalize(url, { names, key }, signal);
      assert.equal(await settled(url, ['ready', 'processing']), 'valid');
      const chain = await authority.download(url, signal);
      assert.equal(await authority.download(url, signal), chain);
      const { notAfter } = await keys.readChain(chain, { key, names });
      assert.ok(notAfter > new Date());
      await assert.rejects(keys.readChain(chain, { key: await keys.createKey(), names }), {
        code: 'CERTIFICATE_REFUSED',
      });
    });

    it('says why a name without an answer is not certified', async () => {
      const { authority, newHost } = under();
      const { url } = await authority.placeOrder({ names: [await newHost()], replaces: null }, signal);
      const [pending] = await authority.readAuthorizations(url, signal);
      const challenge = pending?.challenges.find(({ method }) => method === 'http-01');
      await authority.completeChallenge(challenge?.url ?? '', signal);
      for (;;) {
        const [seen] = await authority.readAuthorizations(url, signal);
        // One that asks again by itself leaves it pending, and says what it saw.
        if (seen?.challenges.some(({ problem }) => problem !== null)) break;
        assert.equal(seen?.status, 'pending');
        await delay(100, undefined, { signal });
      }
      const { status } = (await authority.readOrder(url, signal)) ?? {};
      assert.ok(status === 'invalid' || status === 'pending', status);
    });

    it('does not know an order that nobody placed, and goes on with one that somebody did', async () => {
      const { authority, newHost } = under();
      const { url } = await authority.placeOrder({ names: [await newHost()], replaces: null }, signal);
      assert.equal((await authority.readOrder(url, signal))?.url, url);
      assert.equal(await authority.readOrder(`${url}0123`, signal), null);
    });

    it('does nothing for a call that is aborted', async () => {
      const aborted = AbortSignal.abort();
      await assert.rejects(under().authority.describe(aborted), { name: 'AbortError' });
    });
  });
}
