import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pathOf } from '../../../web/platform/platform.ts';
import { fillPath } from '../../../web/registry.ts';

/** Texts that would lead to another route, were they put into an address as they are. */
const HOSTILE = [
  ...['..', '.', '', '%2e%2e', '.%2e', '../grants', '..\\grants', '/', '//evil.example', 'a/b', 'a?b=c', 'a#b', 'a;b'],
  ...['%', '%zz', '%00', '\u0000', '\r\nx-evil: 1', '\ud800', '…', ' ', '@evil.example'],
];

describe('a path of the platform, with text of others in it', () => {
  for (const text of HOSTILE) {
    it(`is the route that it was written for, with ${JSON.stringify(text)}`, () => {
      const { pathname, search, hash, origin } = new URL(`https://api.test${pathOf('builds', text, 'cancel')}`);
      assert.deepEqual([origin, search, hash], ['https://api.test', '', '']);
      const parts = pathname.split('/');
      assert.deepEqual([parts.length, parts[1], parts[3]], [4, 'builds', 'cancel']);
      assert.equal(fillPath('/builds/:id/cancel', { id: text }), pathOf('builds', text, 'cancel'));
      const read = decodeURIComponent(parts[2] ?? '');
      const isPlain = !['..', '.', ''].includes(text);
      assert.equal(read, isPlain ? text.toWellFormed() : `%${text.replaceAll('.', '2E')}`);
    });
  }
});
