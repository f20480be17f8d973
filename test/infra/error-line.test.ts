import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorLine } from '../../infra/dev/terminal.ts';

test('what a failed command says has nothing that a terminal would obey, and keeps its lines', () => {
  const error = new Error('made by \u001b[2J\u001b]0;all is well\u00079.9.9\r\n\u202egood\u202c\n\tusage');
  assert.equal(/(?![\t\n\r])\p{Cc}|[\u202a-\u202e]/u.test(errorLine(error)), false);
  assert.equal(errorLine(error).split('\n').length, 3);
  assert.equal(errorLine('usage: a\n       b'), 'usage: a\n       b');
});
