import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formTargetOf } from '../../../../api/http/pages/page-headers.ts';

describe('where a form may end', () => {
  it('is the origin of the redirect URI, and nothing of its path or query', () => {
    assert.equal(formTargetOf("https://shop.example/cb?a=b;script-src 'unsafe-inline'"), 'https://shop.example');
    assert.equal(formTargetOf('http://127.0.0.1:53123/callback'), 'http://127.0.0.1:53123');
  });

  it('is the scheme for an IPv6 address, which a policy cannot name', () => {
    assert.equal(formTargetOf('http://[::1]:53123/callback'), 'http:');
  });
});
