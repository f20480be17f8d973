import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatHookSecret, parseHookSecret } from '../../../domain/git-hooks/hook-secret.ts';

const GITHUB = { provider: 'github', proof: 'signature' } as const;
const GITLAB = { provider: 'gitlab', proof: 'signature' } as const;
const TOKEN = { provider: 'gitlab', proof: 'token' } as const;
const key = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

describe('secrets of hooks', () => {
  it('that are made are taken', () => {
    for (const row of [GITHUB, GITLAB, TOKEN]) {
      const secret = formatHookSecret(row, Buffer.alloc(32, 9));
      assert.equal(parseHookSecret(row, secret), secret);
    }
    assert.match(formatHookSecret(GITLAB, Buffer.alloc(32, 9)), /^whsec_[A-Za-z0-9+/]{43}=$/);
  });

  it('that are weak, or not what the provider takes, are refused without being repeated', () => {
    const rows = [
      [GITHUB, ''],
      [GITHUB, 'short-secret-15'],
      [GITHUB, 'a secret with blanks in it'],
      [GITHUB, 'ein Geheimnis mit Ümläuten!'],
      [GITHUB, `${'a'.repeat(20)}\n`],
      [GITHUB, 'a'.repeat(201)],
      [GITHUB, key(32)],
      [TOKEN, ''],
      [TOKEN, key(32)],
      [GITLAB, ''],
      [GITLAB, 'whsec_'],
      [GITLAB, 'whsec_no base64 at all, but quite long, really'],
      [GITLAB, 'a-long-secret-without-a-prefix'],
      [GITLAB, key(23)],
      [GITLAB, key(65)],
    ] as const;
    for (const [row, secret] of rows) {
      assert.throws(
        () => parseHookSecret(row, secret),
        (error: Error & { code?: string }) =>
          error.code === 'VALIDATION_FAILED' && (secret.length < 8 || !error.message.includes(secret)),
        JSON.stringify(secret),
      );
    }
    assert.equal(parseHookSecret(GITLAB, key(24)), key(24));
    assert.equal(parseHookSecret(GITHUB, 'a'.repeat(16)), 'a'.repeat(16));
  });
});
