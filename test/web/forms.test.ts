import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { html } from '../../api/http/pages/html.ts';
import { codeBlock } from '../../web/look/components.ts';
import { checkbox, field, form } from '../../web/look/forms.ts';
import { defineAction, definePage, type WebModule } from '../../web/page.ts';
import { startConsole, type TestConsole } from '../support/start-console.ts';

const SECRET = 'flcs_shown-this-once';

/** A page with two forms whose fields have one name, and actions that answer in each way. */
const keys: WebModule = {
  pages: [
    definePage({
      module: 'keys',
      path: '/keys',
      summary: 'Keys',
      load: async () => null,
      view: (_data, context) => ({
        title: 'Keys',
        body: html`${['/keys/one', '/keys/two'].map((action) =>
          form(context, {
            ...{ action, button: 'Save' },
            fields: (own) => html`${field(own, { name: 'word', label: action, value: 'as stored' })}
${checkbox(own, { name: 'on', label: 'On', checked: true })}`,
          }),
        )}<p>${context.person.email}</p>`,
      }),
    }),
  ],
  actions: [
    ...['/keys/one', '/keys/two'].map((path) =>
      defineAction({
        module: 'keys',
        path,
        summary: 'Saves a word',
        body: z.object({ word: z.string().max(3) }),
        back: () => '/keys',
        run: async () => ({ to: '/keys', notice: 'Saved.' }),
      }),
    ),
    defineAction({
      module: 'keys',
      path: '/keys/new',
      summary: 'Makes a key',
      back: () => '/keys',
      run: async () => ({ shown: { title: 'Your key', body: codeBlock('Key', SECRET) } }),
    }),
    defineAction({
      module: 'keys',
      path: '/keys/renew',
      summary: 'Renews the session',
      back: () => '/keys',
      run: async () => ({ to: '/keys', renew: true }),
    }),
  ],
};

describe('forms of the console', () => {
  let console: TestConsole;
  before(async () => {
    console = await startConsole({ deps: { modules: [keys] } });
  });
  after(() => console.stop());

  async function signedIn() {
    const browser = console.browse();
    await browser.signIn();
    return browser;
  }

  it('show what was typed in the form that failed, and what is stored in the others of the page', async () => {
    const browser = await signedIn();
    await browser.submit('/keys', '/keys/two', { word: 'too long' });
    const { text } = await browser.get('/keys');
    const [one = '', two = ''] = text.split('action="/keys/two"');
    assert.match(one, /value="as stored"/);
    assert.match(one, /name="on" checked/);
    assert.match(two, /value="too long"/);
    assert.match(two, /class="field-error"/);
    assert.doesNotMatch(two, /name="on" checked/);
  });

  it('answer with a secret once, by the reply to the form, which nobody stores', async () => {
    const browser = await signedIn();
    const made = await browser.submit('/keys', '/keys/new');
    assert.equal(made.status, 200);
    assert.match(made.text, new RegExp(SECRET));
    assert.equal(made.headers.get('cache-control'), 'no-store');
    assert.equal([...browser.cookies.values()].join().includes(SECRET), false);
    assert.equal(console.logged.join().includes(SECRET), false);
    assert.doesNotMatch((await browser.get('/keys')).text, new RegExp(SECRET));
  });

  it('make nothing without the token of the session', async () => {
    const browser = await signedIn();
    const made = await browser.submit('/keys', '/keys/new', { csrf: 'of another session' });
    assert.equal(made.status, 403);
    assert.doesNotMatch(made.text, new RegExp(SECRET));
  });

  it('renew the token of the session before the next page, where an action says so', async () => {
    const browser = await signedIn();
    await browser.get('/keys');
    const before = console.provider.refreshed.length;
    const sent = await browser.submit('/keys', '/keys/renew');
    assert.equal(sent.headers.get('location'), '/keys');
    assert.equal(console.provider.refreshed.length, before + 1);
    assert.equal((await browser.get('/keys')).status, 200);
    assert.equal(console.provider.refreshed.length, before + 1, 'the new token is kept');
  });
});
