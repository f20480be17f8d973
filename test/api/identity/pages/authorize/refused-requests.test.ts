import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { answerOf, authorizePath } from '../browse.ts';
import { REDIRECT, startAuthorize, type TestAuthorize } from './start-authorize.ts';

describe('authorization requests that are refused', () => {
  let idp: TestAuthorize['idp'];
  let shop: TestAuthorize['shop'];
  let ask: TestAuthorize['ask'];
  before(async () => {
    ({ idp, shop, ask } = await startAuthorize());
  });
  after(() => idp.stop());

  describe('requests that are not in order are answered to the client', () => {
    const WRONG: readonly [string, Record<string, string | undefined>, string][] = [
      ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
      ['PKCE downgraded to plain', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['PKCE downgraded by leaving the method out', { code_challenge_method: undefined }, 'invalid_request'],
      ['a challenge that is no SHA-256', { code_challenge: 'short' }, 'invalid_request'],
      ['no response_type', { response_type: undefined }, 'invalid_request'],
      ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
      ['the hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
      ['an answer in the fragment', { response_mode: 'fragment' }, 'invalid_request'],
      ['a scope that was not granted', { scope: 'openid admin:all' }, 'invalid_scope'],
      ['an audience of somebody else', { resource: 'https://bank.example' }, 'invalid_target'],
      ['a request object', { request: 'eyJhbGciOiJub25lIn0..' }, 'invalid_request'],
      ['a request object by reference', { request_uri: 'https://evil.example/r' }, 'invalid_request'],
      ['prompt=none together with another', { prompt: 'none login' }, 'invalid_request'],
      ['a max_age that is no number', { max_age: '-1' }, 'invalid_request'],
    ];
    for (const [what, parameters, expected] of WRONG) {
      it(`${what}: ${expected}`, async () => {
        const { error, state, iss, code } = answerOf(await ask(shop(parameters)));
        assert.deepEqual(
          { error, state, iss, code },
          {
            error: expected,
            state: 'state-of-the-client',
            iss: idp.issuer,
            code: undefined,
          },
        );
      });
    }

    for (const name of ['scope', 'state', 'code_challenge', 'response_type', 'anything']) {
      it(`${name} twice: invalid_request`, async () => {
        const { error } = answerOf(await ask(`${shop()}&${name}=1&${name}=2`));
        assert.equal(error, 'invalid_request');
      });
    }

    it('a client without the grant type: unauthorized_client', async () => {
      await idp.seedClient('robot', { redirectUris: [REDIRECT], allowedGrantTypes: ['client_credentials'] });
      const answer = await ask(authorizePath({ client_id: 'robot', redirect_uri: REDIRECT }));
      assert.equal(answerOf(answer).error, 'unauthorized_client');
    });
  });

  describe('an address that was not registered is never redirected to', () => {
    const TRICKS = [
      undefined,
      '',
      `${REDIRECT}/`,
      `${REDIRECT}?a=1`,
      `${REDIRECT}#x`,
      `${REDIRECT}/../evil`,
      'https://shop.example',
      'https://shop.example.evil.example/api/auth/callback',
      'https://shop.example@evil.example/api/auth/callback',
      'https://evil.example/https://shop.example/api/auth/callback',
      'https://shop.example./api/auth/callback',
      'https://SHOP.example/api/auth/callback',
      'HTTPS://shop.example/api/auth/callback',
      'http://shop.example/api/auth/callback',
      'https://shop.example:443/api/auth/callback',
      'https://shop.example:8443/api/auth/callback',
      'https://shop.example/api/auth/%63allback',
      'https://shop.example/api//auth/callback',
      'https://shop.example\\.evil.example/api/auth/callback',
      ' https://shop.example/api/auth/callback',
      'https://shop.example/api/auth/callback\u0000',
      'javascript:alert(1)',
      'data:text/html,x',
      '//shop.example/api/auth/callback',
      '/api/auth/callback',
    ];
    for (const uri of TRICKS) {
      it(JSON.stringify(uri ?? 'none at all'), async () => {
        const answer = await ask(shop({ redirect_uri: uri }));
        assert.equal(answer.status, 400);
        assert.equal(answer.title, 'Invalid Redirect URI');
        assert.equal(answer.location, null);
      });
    }

    const SHOWN: readonly (readonly [string, string, string])[] = [
      ['a wrong path', 'https://shop.example/callback', 'https://shop.example/callback'],
      ['markup', 'https://x/<b onclick="a">', 'https://x/&lt;b\\u{20}onclick=\\u{22}a\\u{22}&gt;'],
      ['a script', 'javascript:alert(`1`)', 'javascript:alert(&#96;1&#96;)'],
      ['an ampersand', 'https://x/?a=1&lt;', 'https://x/?a=1&amp;lt;'],
      ['a mark of direction', 'https://x/\u202egnp.exe', 'https://x/\\u{202e}gnp.exe'],
      ['an invisible character', 'https://shop\u200b.example/', 'https://shop\\u{200b}.example/'],
      ['a letter that looks like another', 'https://sh\u043ep.example/', 'https://sh\\u{43e}p.example/'],
      ['a line break', 'https://x/\r\ny', 'https://x/\\u{d}\\u{a}y'],
      ['what looks like an escape', 'https://x/\\u{20}', 'https://x/\\u{5c}u{20}'],
      ['a sentence', 'Call 555 now', 'Call\\u{20}555\\u{20}now'],
      ['a long one', `https://x/${'a'.repeat(400)}`, `https://x/${'a'.repeat(190)}…`],
      ['a long one of pairs', '\u{1f600}'.repeat(300), `${'\\u{1f600}'.repeat(200)}…`],
    ];
    for (const [what, uri, text] of SHOWN) {
      it(`the page shows ${what} as text that can be read, and links to it nowhere`, async () => {
        const { html } = await ask(shop({ redirect_uri: uri }));
        const [, alert = ''] = /<p role="alert">(.*?)<\/p>/s.exec(html) ?? [];
        assert.ok(alert.startsWith(`The application asked to send you to &quot;${text}&quot;, which is not`), alert);
        assert.ok(alert.includes('https://&lt;service&gt;.&lt;domain&gt;/api/auth/callback'), alert);
        const targets = [...html.matchAll(/\b(?:href|src|action)="([^"]*)"/g)].map(([, target]) => target);
        assert.deepEqual(
          targets.filter((target) => !target?.startsWith('/')),
          [],
          'links of our own alone',
        );
        assert.equal(html.split(text).length, 2, 'it stands there once');
      });
    }

    it('two of them, an unknown client, no client, a client twice', async () => {
      const paths = [
        `${shop()}&redirect_uri=${encodeURIComponent('https://evil.example/')}`,
        shop({ client_id: 'nobody' }),
        shop({ client_id: undefined }),
        `${shop()}&client_id=trusted-prod`,
      ];
      for (const path of paths) {
        const answer = await ask(path);
        assert.ok(answer.status === 400 || answer.status === 401, `${answer.status}`);
        assert.equal(answer.location, null);
      }
    });

    it('a native app gets any port of the registered loopback address, and nothing else of it', async () => {
      await idp.seedClient('native', {
        clientType: 'public',
        redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
      });
      const native = (uri: string) => ask(authorizePath({ client_id: 'native', redirect_uri: uri }));
      for (const uri of ['http://127.0.0.1:53123/callback', 'http://[::1]:9/callback', 'http://127.0.0.1/callback']) {
        assert.equal((await native(uri)).title, 'Client native asks for access', uri);
      }
      const wrong = [
        'http://127.0.0.1:53123/callback/',
        'http://127.0.0.1:53123/callback?x=1',
        'http://127.0.0.1:53123/other',
        'http://127.0.0.1:0/callback',
        'http://127.0.0.1:70000/callback',
        'http://127.0.0.1:80@evil.example/callback',
        'http://127.0.0.1.evil.example:80/callback',
        'http://127.0.0.2:53123/callback',
        'http://localhost:53123/callback',
        'https://127.0.0.1:53123/callback',
      ];
      for (const uri of wrong) assert.equal((await native(uri)).title, 'Invalid Redirect URI', uri);
    });

    it('a confidential client gets its registered port only', async () => {
      await idp.seedClient('dev', { redirectUris: ['http://127.0.0.1:3000/callback'], trustedClient: true });
      const answer = await ask(authorizePath({ client_id: 'dev', redirect_uri: 'http://127.0.0.1:3001/callback' }));
      assert.equal(answer.title, 'Invalid Redirect URI');
    });
  });
});
