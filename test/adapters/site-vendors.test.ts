import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createCloudflareZones } from '../../adapters/cloudflare/dns-zones.ts';
import { createGoogleClient } from '../../adapters/google/google-client.ts';
import { createGoogleSearchEngine } from '../../adapters/google/search-engine.ts';
import { FairleadError } from '../../domain/errors.ts';
import { dnsZonesSuite } from '../ports/properties/dns-zones.ts';
import { searchEngineSuite } from '../ports/properties/search-engine.ts';
import { NAME_SERVERS, type SiteVendors, startSiteVendors } from '../support/site-vendors.ts';
import { apiError, tokenOf } from '../vendors/google.ts';
import type { VendorAnswer } from '../vendors/vendor-server.ts';

let vendors: SiteVendors;
before(async () => {
  vendors = await startSiteVendors();
});
after(() => vendors.stop());

searchEngineSuite(() => ({
  engine: vendors.engine,
  publish: async (domain, text) => {
    await vendors.dns.addZone(domain, NAME_SERVERS);
    await vendors.dns.setRecords(domain, { name: domain, type: 'TXT', contents: [`"${text}"`] });
  },
  sites: () => [...vendors.google.sites],
}));

dnsZonesSuite(() => ({
  zones: vendors.zones,
  addZone: (domain, isActive) => vendors.cloudflare.addZone(domain, NAME_SERVERS, isActive ? 'active' : 'pending'),
  addText: (domain, text) => {
    const record = { type: 'TXT', name: domain, content: `"${text}"`, comment: null };
    return vendors.cloudflare.addRecord(domain, record);
  },
  texts: async (domain) => vendors.cloudflare.recordsOf(domain).map(({ content }) => content.slice(1, -1)),
}));

type Expected = Pick<FairleadError, 'code' | 'retryable'> & { readonly retryAfterSeconds?: number };

/** With the pause of all processes, where the vendor asks to be left alone. */
async function assertFails(
  work: Promise<unknown>,
  { retryAfterSeconds, ...expected }: Expected,
  pausedKey = 'google/site-verification',
): Promise<void> {
  vendors.paused.length = 0;
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof FairleadError);
    const { code, retryable, details, cause } = error;
    assert.deepEqual({ code, retryable }, expected);
    assert.equal((details as { retryAfterSeconds?: number } | undefined)?.retryAfterSeconds, retryAfterSeconds);
    assert.equal(cause, undefined, "the library's error has the token");
    return true;
  });
  assert.deepEqual(vendors.paused, retryAfterSeconds === undefined ? [] : [[pausedKey, retryAfterSeconds]]);
}

const status = (code: number, headers: VendorAnswer['headers'] = {}): VendorAnswer => ({
  ...{ status: code, body: { success: false, errors: [{ code: 1, message: 'no' }], result: null } },
  headers,
});

describe('failures of Google', () => {
  const passing = (changes: object = {}) => ({ code: 'UNAVAILABLE', retryable: true, ...changes }) as const;
  const rows: readonly (readonly [string, VendorAnswer | 'cut', Expected])[] = [
    ['no owner', apiError(403, 'insufficientPermissions', 'no'), { code: 'GOOGLE_PERMISSION', retryable: false }],
    [
      'an API that is off',
      apiError(403, 'accessNotConfigured', 'off'),
      { code: 'GOOGLE_PERMISSION', retryable: false },
    ],
    ['calls a second', apiError(403, 'userRateLimitExceeded', 'slow'), passing({ retryAfterSeconds: 60 })],
    ['calls a day', apiError(403, 'dailyLimitExceeded', 'slow'), passing({ retryAfterSeconds: 3_600 })],
    [
      '429 with a wait',
      { ...apiError(429, 'rateLimitExceeded', 'slow'), headers: { 'retry-after': '7' } },
      passing({ retryAfterSeconds: 7 }),
    ],
    ['429 without one', apiError(429, 'rateLimitExceeded', 'slow'), passing({ retryAfterSeconds: 60 })],
    ['503', apiError(503, 'backendError', 'Backend Error'), passing()],
    ['no JSON', { status: 200, body: 'hello' }, passing()],
    ['an answer that ends midway', 'cut', passing()],
    ['what it does not take', apiError(400, 'invalid', 'Bad domain'), { code: 'GOOGLE_REFUSED', retryable: false }],
  ];
  for (const [title, answer, expected] of rows) {
    it(`${title}: ${expected.code}${expected.retryable ? ', which passes' : ''}, and no token in it`, async () => {
      vendors.google.fail({ matches: /^POST \/siteVerification\/v1\/token$/, times: 1, answer });
      await assertFails(vendors.engine.requestToken('example.com'), expected);
    });
  }

  it('a key that Google does not accept: GOOGLE_PERMISSION', async () => {
    const answer = { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } };
    vendors.google.fail({ matches: /^POST \/token$/, times: 1, answer });
    const client = createGoogleClient({
      credentialsFile: vendors.google.credentialsFile,
      budget: vendors.budget,
      fetch: vendors.google.fetch,
    });
    const expected = { code: 'GOOGLE_PERMISSION', retryable: false } as const;
    await assertFails(createGoogleSearchEngine(client).requestToken('example.com'), expected);
  });

  it('a token that counts no more is renewed', async () => {
    assert.equal(await vendors.engine.requestToken('example.com'), tokenOf('example.com'));
    vendors.google.revokeTokens();
    assert.equal(await vendors.engine.requestToken('example.com'), tokenOf('example.com'));
  });

  it('a key file that is none: GOOGLE_NOT_CONFIGURED, and nothing of it is shown', async () => {
    const path = join(vendors.google.credentialsFile, '..', 'other.json');
    for (const text of ['', '{"private_key": "planted-secret"}']) {
      await writeFile(path, text);
      const client = createGoogleClient({ credentialsFile: path, budget: vendors.budget });
      const asked = createGoogleSearchEngine(client).requestToken('example.com');
      await assert.rejects(asked, (error: FairleadError) => {
        assert.equal(error.code, 'GOOGLE_NOT_CONFIGURED');
        assert.doesNotMatch(JSON.stringify(error) + error.message, /planted-secret/);
        return true;
      });
    }
  });
});

describe('vendors that are slow', () => {
  const TIMEOUT_MS = 300;
  const LATE = { times: 1, delayMs: 30_000 };

  it('are given up after the time for an answer: Google, its token endpoint, and Cloudflare', async () => {
    const { google, cloudflare, budget } = vendors;
    const { credentialsFile, fetch } = google;
    const engine = createGoogleSearchEngine(
      createGoogleClient({ credentialsFile, budget, fetch, timeoutMs: TIMEOUT_MS }),
    );
    const { token: apiToken } = cloudflare;
    const account = { apiToken, installation: 'default', budget, fetch: cloudflare.fetch };
    const zones = createCloudflareZones({ ...account, timeoutMs: TIMEOUT_MS });
    const slow: readonly (readonly [() => void, () => Promise<unknown>])[] = [
      // Its library asks for a token a few times.
      [() => google.fail({ ...LATE, times: 4, matches: /^POST \/token$/ }), () => engine.requestToken('example.com')],
      [
        () => google.fail({ ...LATE, matches: /^POST \/siteVerification\/v1\/token$/ }),
        () => engine.requestToken('example.com'),
      ],
      [() => google.fail({ ...LATE, matches: /\/webmasters\/v3\/sites\// }), () => engine.addProperty('example.com')],
      [() => cloudflare.fail({ ...LATE, matches: /^GET \/client\/v4\/zones$/ }), () => zones.findZone('example.com')],
    ];
    for (const [fail, call] of slow) {
      fail();
      // The answer that comes late is a good one: who waits for it does not fail.
      await assertFails(call(), { code: 'UNAVAILABLE', retryable: true });
    }
  });
});

describe('failures of Cloudflare', () => {
  const rows: readonly (readonly [string, VendorAnswer | 'cut', Expected])[] = [
    ['a token without the permission', status(403), { code: 'DNS_PROVIDER_REFUSED', retryable: false }],
    [
      '429 with a wait',
      status(429, { 'retry-after': '9' }),
      { code: 'UNAVAILABLE', retryable: true, retryAfterSeconds: 9 },
    ],
    ['502', status(502), { code: 'UNAVAILABLE', retryable: true }],
    ['an answer that ends midway', 'cut', { code: 'UNAVAILABLE', retryable: true }],
  ];
  for (const [title, answer, expected] of rows) {
    it(`${title}: ${expected.code}`, async () => {
      vendors.cloudflare.fail({ matches: /^GET \/client\/v4\/zones$/, times: 1, answer });
      await assertFails(vendors.zones.findZone('example.com'), expected, 'cloudflare');
    });
  }

  it('a page that fails in the middle of a list: no list at all', async () => {
    for (let index = 0; index < 51; index += 1) await vendors.cloudflare.addZone(`page${index}.com`, NAME_SERVERS);
    let pages = 0;
    const counting: typeof fetch = async (input, init) => {
      pages += 1;
      if (pages === 2) vendors.cloudflare.fail({ matches: /^GET \/client\/v4\/zones$/, times: 1, answer: status(500) });
      return vendors.cloudflare.fetch(input, init);
    };
    const { token: apiToken } = vendors.cloudflare;
    const zones = createCloudflareZones({ apiToken, installation: 'one', budget: vendors.budget, fetch: counting });
    await assertFails(zones.listActive(), { code: 'UNAVAILABLE', retryable: true });
    assert.equal(pages, 2);
  });

  it('an answer that is too long: UNAVAILABLE', async () => {
    const answer = { status: 200, body: { success: true, errors: [], result: [], more: 'x'.repeat(9 * 1024 * 1024) } };
    vendors.cloudflare.fail({ matches: /^GET \/client\/v4\/zones$/, times: 1, answer });
    await assertFails(vendors.zones.findZone('example.com'), { code: 'UNAVAILABLE', retryable: true });
  });

  it('two installations on one account leave the records of each other, and those marked by none, as they are', async () => {
    await vendors.cloudflare.addZone('shared.com', NAME_SERVERS);
    const old = { type: 'TXT', name: 'shared.com', content: '"site=0"', comment: 'fairlead: site verification' };
    await vendors.cloudflare.addRecord('shared.com', old);
    const { token: apiToken, fetch } = vendors.cloudflare;
    for (const installation of ['one', 'two']) {
      const zones = createCloudflareZones({ apiToken, installation, budget: vendors.budget, fetch });
      const zone = await zones.findZone('shared.com');
      assert.ok(zone);
      for (const version of [1, 2]) await zones.writeText(zone, `${installation}=${version}`);
    }
    const contents = vendors.cloudflare.recordsOf('shared.com').map(({ content }) => content);
    assert.deepEqual(contents, ['"site=0"', '"one=2"', '"two=2"']);
  });

  it('requests that are used up at the vendor are waited for as long as it says', async () => {
    vendors.cloudflare.useUpRequests();
    const expected = { code: 'UNAVAILABLE', retryable: true, retryAfterSeconds: 300 } as const;
    await assertFails(vendors.zones.findZone('example.com'), expected, 'cloudflare');
    vendors.cloudflare.resetRequests();
  });
});
