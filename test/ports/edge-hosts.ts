import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EdgeHosts, EdgeHostTarget } from '../../domain/custom-domains/certificates/ports.ts';

const SHOP: EdgeHostTarget = { service: 'shop', environment: 'prod', serves: 'everything', redirectToTls: false };

/** What every {@link EdgeHosts} guarantees. @param open one without hosts */
export function edgeHostsSuite(open: () => Promise<EdgeHosts>): void {
  describe('EdgeHosts', () => {
    it('a host leads where it was put last, and all are listed by their names', async () => {
      const hosts = await open();
      assert.deepEqual(await hosts.list(), []);
      await hosts.put('www.example.com', { ...SHOP, redirectTo: 'example.com', hsts: true });
      await hosts.put('example.com', { ...SHOP, serves: 'challenge-only' });
      await hosts.put('example.com', { ...SHOP, redirectToTls: true });
      await hosts.put('example.com', { ...SHOP, redirectToTls: true });
      assert.deepEqual(await hosts.list(), [
        { host: 'example.com', ...SHOP, redirectToTls: true },
        { host: 'www.example.com', ...SHOP, redirectTo: 'example.com', hsts: true },
      ]);
    });

    it('what is removed is gone, once or twice', async () => {
      const hosts = await open();
      await hosts.put('example.com', SHOP);
      await hosts.put('other.example.com', SHOP);
      for (const host of ['example.com', 'example.com', 'never.example.com']) await hosts.remove(host);
      assert.deepEqual(
        (await hosts.list()).map(({ host }) => host),
        ['other.example.com'],
      );
    });

    it('a host may be one label below a top-level domain, whatever that label is', async () => {
      const hosts = await open();
      await hosts.put('www.com', SHOP);
      assert.deepEqual(await hosts.list(), [{ host: 'www.com', ...SHOP }]);
      await hosts.remove('www.com');
      assert.deepEqual(await hosts.list(), []);
    });

    it('of 50 at once, each host is whole and of one of them', async () => {
      const hosts = await open();
      const services = Array.from({ length: 50 }, (_, index) => `shop-${index}`);
      await Promise.all(services.map((service) => hosts.put('example.com', { ...SHOP, service })));
      const [found, ...more] = await hosts.list();
      assert.ok(found !== undefined && services.includes(found.service) && more.length === 0);
    });

    for (const bad of [
      '',
      'Example.com',
      'localhost',
      'com',
      '../x.json',
      'a/b.example.com',
      '*.example.com',
      '.com',
      'a..com',
    ]) {
      it(`${JSON.stringify(bad)} is no host`, async () => {
        const hosts = await open();
        await assert.rejects(hosts.put(bad, SHOP), { code: 'VALIDATION_FAILED' });
        await assert.rejects(hosts.remove(bad), { code: 'VALIDATION_FAILED' });
        assert.deepEqual(await hosts.list(), []);
      });
    }
  });
}
