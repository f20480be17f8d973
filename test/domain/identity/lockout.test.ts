import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exceeds, LOGIN_LIMITS, networkOf, secondsUntil } from '../../../domain/identity/lockout.ts';

test('the last allowed attempt is judged, the next one waits', () => {
  assert.equal(exceeds(LOGIN_LIMITS.account, 10), false);
  assert.equal(exceeds(LOGIN_LIMITS.account, 11), true);
});

test('the wait is given in whole seconds, at least one', () => {
  const now = new Date(1_000_000);
  assert.equal(secondsUntil(new Date(1_000_000 + 1_200), now), 2);
  assert.equal(secondsUntil(new Date(999_000), now), 1);
});

test('all addresses of one IPv6 network count together, and each IPv4 address by itself', () => {
  assert.equal(networkOf('2001:db8:1:2::7'), networkOf('2001:0DB8:0001:0002:ffff:ffff:ffff:ffff'));
  assert.notEqual(networkOf('2001:db8:1:2::7'), networkOf('2001:db8:1:3::7'));
  assert.notEqual(networkOf('192.0.2.1'), networkOf('192.0.2.2'));
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(networkOf('unknown'), 'unknown');
});
