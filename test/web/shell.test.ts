import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createSamplePlatform } from '../support/sample-platform.ts';
import { startConsole, type TestConsole } from '../support/start-console.ts';

describe('the shell of the console', () => {
  let console: TestConsole;
  before(async () => {
    console = await startConsole({
      person: { platformRoles: ['super_admin'] },
      platform: createSamplePlatform(),
    });
  });
  after(() => console.stop());

  it('sends whoever is not signed in to sign in, and back to the page that was asked for', async () => {
    const browser = console.browse();
    const asked = await browser.get('/style-guide');
    assert.equal(asked.status, 303);
    assert.equal(asked.headers.get('location'), '/sign-in?to=%2Fstyle-guide');
    const back = await browser.signIn('/style-guide');
    assert.equal(back.headers.get('location'), '/style-guide');
    const page = await browser.get('/style-guide');
    assert.equal(page.status, 200);
    assert.match(page.text, /ann@acme\.example/);
  });

  it('tells the outcome of a form on the next page, once, and shows again what was typed', async () => {
    const browser = console.browse();
    await browser.signIn();
    const sent = await browser.submit('/style-guide', '/style-guide', { word: 'harbour' });
    assert.deepEqual([sent.status, sent.headers.get('location')], [303, '/style-guide']);
    assert.match((await browser.get('/style-guide')).text, /The form was sent, with &quot;harbour&quot;/);
    assert.doesNotMatch((await browser.get('/style-guide')).text, /The form was sent/);
    await browser.submit('/style-guide', '/style-guide', { word: 'Not so <small>' });
    const { text } = await browser.get('/style-guide');
    assert.match(text, /small letters alone/);
    assert.match(text, /value="Not so &lt;small&gt;"/);
  });

  it('answers an address that is none with a page for people, and with an envelope for programs', async () => {
    const browser = console.browse();
    await browser.signIn();
    const page = await browser.get('/nothing/here');
    assert.deepEqual([page.status, page.headers.get('content-type')], [404, 'text/html; charset=utf-8']);
    assert.match(page.text, /There is nothing here/);
    assert.match(page.text, /aria-label="Main"/);
    const program = await browser.get('/nothing/here', { accept: 'application/json' });
    assert.equal(JSON.parse(program.text).error.code, 'NOT_FOUND');
    const stranger = await console.browse().get('/nothing/here');
    assert.equal(stranger.status, 404);
    assert.doesNotMatch(stranger.text, /aria-label="Main"/);
  });

  it('tells that a form failed, although what was typed is too long for a cookie', async () => {
    const browser = console.browse();
    await browser.signIn();
    for (const word of ['É'.repeat(1_400), 'A'.repeat(2_500), 'A'.repeat(1_400)]) {
      const sent = await browser.submit('/style-guide', '/style-guide', { word });
      const [notice = ''] = sent.headers.getSetCookie().filter((cookie) => cookie.includes('notice'));
      assert.ok(notice !== '' && notice.length <= 4_096, `a browser drops a cookie of ${notice.length} characters`);
      assert.match((await browser.get('/style-guide')).text, /small letters alone/);
    }
  });

  it('opens streams for its own pages alone: those of other origins of its site would use up its places', async () => {
    const browser = console.browse();
    await browser.signIn();
    for (const site of ['same-site', 'cross-site']) {
      const refused = await browser.get('/live', { 'sec-fetch-site': site });
      assert.deepEqual([refused.status, refused.headers.get('content-type')], [403, 'text/html; charset=utf-8']);
    }
    const own = await console.browse().get('/live', { 'sec-fetch-site': 'same-origin' });
    assert.equal(own.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.match(own.text, /signed-out/);
  });

  it('follows nothing, and shows no tabs, on the page of an error', async () => {
    const browser = console.browse();
    await browser.signIn();
    assert.match((await browser.get('/services/shop')).text, /data-live="\/live\/services\/shop"/);
    const { status, text } = await browser.get('/services/nobody');
    assert.equal(status, 404);
    assert.doesNotMatch(text, /data-live=|class="tabs"/);
  });
});
