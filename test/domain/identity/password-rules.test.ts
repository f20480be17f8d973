import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalizePassword, passwordProblem } from '../../../domain/identity/password-rules.ts';

const EMAIL = 'ada.lovelace@example.com';

test('length alone makes a password good: no rules of composition', () => {
  for (const password of [
    'correct horse',
    'rainy tuesday',
    '  leading blanks kept',
    '\u{1F40E}\u{1F50B}\u{1F4CE}\u{2705}horse1',
    `${'x'.repeat(250)}abcdef`,
  ]) {
    assert.equal(passwordProblem(password, EMAIL), null, password);
  }
});

test('bounds are counted in characters, not in code units', () => {
  assert.match(passwordProblem('123abc789', EMAIL) ?? '', /at least 10/);
  assert.match(passwordProblem('\u{1F40E}\u{1F50B}\u{1F4CE}\u{2705}\u{1F40D}', EMAIL) ?? '', /at least 10/);
  assert.equal(passwordProblem('abcd'.repeat(64), EMAIL), null);
  assert.match(passwordProblem(`${'abcd'.repeat(64)}e`, EMAIL) ?? '', /at most 256/);
});

test('the address, the commonest passwords and repetitions are refused in any case', () => {
  for (const password of [
    EMAIL,
    'ADA.LOVELACE@example.com',
    'Ada.Lovelace',
    'Password123',
    'QWERTYUIOP',
    ' qwertyuiop ',
    'aaaaaaaaaaaa',
    '121212121212',
  ]) {
    assert.notEqual(passwordProblem(password, EMAIL), null, password);
  }
});

test('the same characters entered in another way are the same password', () => {
  assert.equal(normalizePassword('cafe\u0301 \uff21\uff22'), normalizePassword('caf\u00e9 AB'));
});
