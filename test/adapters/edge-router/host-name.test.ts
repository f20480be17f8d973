import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseHost } from '../../../adapters/edge-router/host-name.ts';

describe('parseHost', () => {
  const cases: readonly [string | undefined, string | null][] = [
    ['hello.prod.localhost:8000', 'hello/prod'],
    ['hello.sandbox.localhost', 'hello/sandbox'],
    ['HELLO.UAT.LOCALHOST.', 'hello/uat'],
    ['hello.localhost', 'hello/prod'],
    ['hello.dev.localhost', null],
    ['a.b.prod.localhost', null],
    ['localhost', null],
    ['hello.example.com', null],
    ['../x.prod.localhost', null],
    [undefined, null],
  ];
  for (const [host, expected] of cases) {
    it(`reads ${host} as ${expected}`, () => {
      const target = parseHost(host, 'localhost');
      assert.equal(target === null ? null : `${target.service}/${target.environment}`, expected);
    });
  }
});
