import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readTokens } from '../../../sdk/index.ts';

const read = (headers: Record<string, string | string[]>) => readTokens({ headers });

it('the Authorization header comes before the cookie; the refresh token is always the cookie’s', () => {
  const cookie = 'x=1; bd-token=from-cookie; bd-refresh=refresh';
  const both = read({ authorization: 'Bearer from-header', cookie });
  assert.deepEqual(both, { accessToken: 'from-header', refreshToken: 'refresh' });
  assert.deepEqual(read({ cookie }), { accessToken: 'from-cookie', refreshToken: 'refresh' });
  assert.deepEqual(read({ authorization: 'bearer lower-case' }), { accessToken: 'lower-case', refreshToken: null });
});

it('another scheme, an empty bearer or cookie is no token', () => {
  for (const authorization of [
    'Basic Ym9iOnB3',
    'Bearer',
    'Bearer ',
    'Bearera.b.c',
    'Bearer two words',
    'Token a.b.c',
  ]) {
    assert.equal(read({ authorization }).accessToken, null, authorization);
    assert.equal(read({ authorization, cookie: 'bd-token=c' }).accessToken, 'c', authorization);
  }
  assert.deepEqual(read({ cookie: 'bd-token=; bd-refresh=' }), { accessToken: null, refreshToken: null });
  assert.deepEqual(read({}), { accessToken: null, refreshToken: null });
});

it('reads Fetch requests as well, and cookies whose name only ends alike are others', () => {
  const request = new Request('https://shop.example', { headers: { authorization: 'Bearer abc' } });
  assert.equal(readTokens(request).accessToken, 'abc');
  assert.equal(read({ cookie: 'my-bd-token=x; BD-TOKEN=y' }).accessToken, null);
});

it('odd cookie headers are no error', () => {
  for (const cookie of [
    '=',
    ';;;',
    'bd-token',
    'bd-token=%E0%A4%A',
    '__proto__=1; constructor=2',
    'a'.repeat(100_000),
  ]) {
    assert.doesNotThrow(() => read({ cookie }), cookie.slice(0, 20));
  }
});
