import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isHost, MOST_HOST_CHARACTERS } from '../../../domain/monitors/host-name.ts';
import { newMonitorSchema } from '../../../domain/monitors/schema.ts';

describe('the host of a check', () => {
  it('is a name in DNS, with or without a dot at its end, or an IPv4 address', () => {
    for (const host of ['db', 'db.example.com', 'db.example.com.', '_sip._tcp.example.com', '192.0.2.1', 'a-b.c']) {
      assert.ok(isHost(host), host);
    }
    const long = `${'a'.repeat(64)}.com`;
    for (const host of ['', '.', '..', 'a..b', '.a', '-a.com', 'a b', 'a/b', 'a!', long, 'a.'.repeat(200)]) {
      assert.ok(!isHost(host), host);
    }
  });

  // A pattern that tries every division of a long one does not end within the limit of a test file.
  it('is judged in time that grows with its length alone, whatever is sent', () => {
    for (const host of [`${'a'.repeat(60)}!`, `${'a'.repeat(MOST_HOST_CHARACTERS - 1)}!`, `${'a'.repeat(100_000)}!`]) {
      const asked = { name: 'db', check: { kind: 'tcp', host, port: 1 } };
      assert.equal(newMonitorSchema.safeParse(asked).success, false);
    }
  });
});
