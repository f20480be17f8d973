import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertNotLogged } from '../../../support/not-logged.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { createBrowser, type Page } from './browse.ts';

const PASSWORD = 'correct horse battery';

describe('every page', () => {
  let idp: TestIdp;
  const pages: Page[] = [];
  before(async () => {
    idp = await startIdp();
    await idp.seedUser('ada@example.com', { password: PASSWORD });
    const stranger = createBrowser(idp);
    const login = await stranger.open('/login');
    const browser = createBrowser(idp);
    await browser.logIn('ada@example.com', PASSWORD);
    pages.push(
      login,
      await stranger.submit(login, '/login', { email: 'ada@example.com', password: 'wrong' }),
      await stranger.submit(login, '/login', { csrf: 'x' }),
      await stranger.open('/login/forgot'),
      await stranger.open('/login/magic?token=x'),
      await stranger.open('/welcome?token=x'),
      await stranger.open('/oauth/authorize'),
      await stranger.open(idp.firstAdminUrl.slice(idp.issuer.length)),
      await browser.open('/account'),
      await browser.open('/oauth/device'),
      await browser.open('/oauth/logout'),
    );
  });
  after(() => idp.stop());

  it('cannot be framed, stored, sniffed, or made to load or send anything elsewhere', () => {
    for (const { headers, path } of pages) {
      const policy = headers.get('content-security-policy') ?? '';
      for (const directive of ["default-src 'none'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
        assert.ok(policy.split('; ').includes(directive), `${path}: ${policy}`);
      }
      assert.match(policy, /form-action 'self'(;|$)/);
      assert.doesNotMatch(policy, /unsafe|\*|data:/);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
      assert.match(headers.get('content-type') ?? '', /^text\/html; charset=utf-8$/);
    }
  });

  it('carries no style or script of its own, and nothing from elsewhere', () => {
    for (const { html, path } of pages) {
      assert.doesNotMatch(html, /<style|style="|<script>| on[a-z]+="|javascript:/, path);
      for (const [, address = ''] of html.matchAll(/(?:src|href|action|formaction)="([^"]*)"/g)) {
        assert.match(address, /^\//, `${path}: ${address}`);
      }
    }
  });

  it('names its language, has one heading and one main part, and a label for every field', () => {
    for (const { html, path } of pages) {
      assert.match(html, /<html lang="en">/);
      assert.match(html, /<meta name="viewport"/);
      assert.equal([...html.matchAll(/<h1>/g)].length, 1, path);
      assert.equal([...html.matchAll(/<main/g)].length, 1, path);
      const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      assert.equal(new Set(ids).size, ids.length, `${path}: ${ids}`);
      for (const [input] of html.matchAll(/<input (?!type="hidden")[^>]*>/g)) {
        const [, id = ''] = / ?id="([^"]+)"/.exec(input) ?? [];
        assert.ok(html.includes(`<label for="${id}">`), `${path}: ${input}`);
        assert.match(input, /autocomplete="/);
      }
    }
  });

  it('says what went wrong where screen readers look', () => {
    const failed = pages.filter(({ status }) => status >= 400);
    assert.ok(failed.length >= 4);
    for (const { html, path } of failed) assert.match(html, /role="alert"/, path);
  });

  it('repeats neither a secret of a link nor a password', () => {
    for (const { html } of pages) assert.doesNotMatch(html, /correct horse/);
    assertNotLogged(idp.logged, '/welcome', [new URL(idp.firstAdminUrl).searchParams.get('token') ?? '']);
  });

  it('gets its stylesheet and script from here, kept by their content', async () => {
    const [, stylesheet = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(pages[0]?.html ?? '') ?? [];
    const [, script = ''] = /<script src="([^"]+)" defer>/.exec(pages[0]?.html ?? '') ?? [];
    for (const [path, type] of [
      [stylesheet, 'text/css; charset=utf-8'],
      [script, 'text/javascript; charset=utf-8'],
      ['/assets/brand-ffcc00.css', 'text/css; charset=utf-8'],
    ] as const) {
      const { status, headers, text } = await idp.call('GET', path);
      assert.equal(status, 200, path);
      assert.equal(headers.get('content-type'), type);
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.ok(text.length > 50);
    }
  });

  it('has no other files: names that are made up, climb, or are no colour are not found', async () => {
    for (const name of ['pages.css', '..%2fassets.ts', 'brand-fff.css', 'brand-ffcc0g.css', 'brand-ffcc00}.css']) {
      assert.equal((await idp.call('GET', `/assets/${name}`)).status, 404, name);
    }
  });
});
