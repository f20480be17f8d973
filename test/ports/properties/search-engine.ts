import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { SearchEngine } from '../../../domain/properties/ports.ts';

export interface SearchEngineUnderTest {
  readonly engine: SearchEngine;
  /** Puts a TXT record where the search engine reads it. */
  readonly publish: (domain: string, text: string) => Promise<void>;
  readonly sites: () => readonly string[];
}

/** What every {@link SearchEngine} guarantees. Domains are new for each test. */
export function searchEngineSuite(parts: () => SearchEngineUnderTest): void {
  describe('SearchEngine', () => {
    const newDomain = (): string => `d${randomBytes(6).toString('hex')}.com`;
    async function verified(): Promise<string> {
      const domain = newDomain();
      const { engine, publish } = parts();
      await publish(domain, await engine.requestToken(domain));
      assert.deepEqual(await engine.confirm(domain), { confirmed: true });
      return domain;
    }

    it('gives a domain the same text each time, and another domain another one', async () => {
      const { engine } = parts();
      const domain = newDomain();
      const token = await engine.requestToken(domain);
      assert.match(token, /^google-site-verification=/);
      assert.equal(await engine.requestToken(domain), token);
      assert.notEqual(await engine.requestToken(newDomain()), token);
    });

    it('confirms a record that it finds, again as well, and says what it does not find', async () => {
      const { engine } = parts();
      const domain = newDomain();
      const answer = await engine.confirm(domain);
      assert.ok(!answer.confirmed);
      assert.match(answer.reason, /could not be found/);
      assert.equal(await engine.isVerified(domain), false);
      const there = await verified();
      assert.deepEqual(await engine.confirm(there), { confirmed: true });
      assert.equal(await engine.isVerified(there), true);
    });

    it('adds owners to those there are, each once', async () => {
      const { engine } = parts();
      const domain = await verified();
      const first = await engine.addOwners(domain, ['ada@example.com']);
      const again = await engine.addOwners(domain, ['ada@example.com', 'bob@example.com']);
      assert.deepEqual(again, [...first, 'bob@example.com']);
      assert.ok(first.length === 2 && first.includes('ada@example.com'), 'the account of the platform stays one');
    });

    it('takes no owner of a domain that is not verified', async () => {
      await assert.rejects(parts().engine.addOwners(newDomain(), ['ada@example.com']), { code: 'GOOGLE_PERMISSION' });
    });

    it('adds the console property of a verified domain, again as well', async () => {
      const { engine, sites } = parts();
      const domain = await verified();
      await engine.addProperty(domain);
      await engine.addProperty(domain);
      assert.equal(sites().filter((site) => site === `sc-domain:${domain}`).length, 1);
    });
  });
}
