import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSetCookie } from 'cookie';
import { clearCookie, readCookie, writeCookie } from '../../../../api/identity/login/cookies.ts';

const SECURE = { secureCookies: true };
const PLAIN = { secureCookies: false };

describe('cookies of the provider', () => {
  it('are host-only and secure by their very name where browsers come by https', () => {
    assert.equal(
      writeCookie(SECURE, 'session', 'flss_x', 60),
      '__Host-fl-session=flss_x; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax',
    );
  });

  it('have a plain name and no Secure where they come by http', () => {
    assert.equal(writeCookie(PLAIN, 'session', 'x', 60), 'fl-session=x; Max-Age=60; Path=/; HttpOnly; SameSite=Lax');
  });

  it('are read by the name that fits, so that one planted without the prefix counts for nothing', () => {
    assert.equal(readCookie(SECURE, 'session', { 'fl-session': 'planted' }), null);
    assert.equal(readCookie(SECURE, 'session', { '__Host-fl-session': 'real', 'fl-session': 'planted' }), 'real');
  });

  it('are nothing when they are empty or longer than a browser keeps', () => {
    assert.equal(readCookie(PLAIN, 'visit', { 'fl-visit': '' }), null);
    assert.equal(readCookie(PLAIN, 'visit', { 'fl-visit': 'x'.repeat(4_097) }), null);
  });

  it('are cleared with the same attributes, or browsers would keep them', () => {
    const { value, maxAge, ...attributes } = parseSetCookie(clearCookie(SECURE, 'login'));
    const written = parseSetCookie(writeCookie(SECURE, 'login', 'x', 60));
    assert.deepEqual({ value, maxAge }, { value: '', maxAge: 0 });
    assert.deepEqual({ ...attributes, value: 'x', maxAge: 60 }, written);
  });
});
