import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HttpExpectation } from '../../../domain/monitors/check-kinds.ts';
import { valueAt } from '../../../domain/monitors/json-path.ts';
import { judgeBody, judgeStatus } from '../../../domain/monitors/judge-http.ts';

const ANY: HttpExpectation = { expectStatus: null, expectBodyContains: null, json: null, latencyBudgetMs: null };
const status = (answered: number, expectation: Partial<HttpExpectation> = {}, redirectsTo: string | null = null) =>
  judgeStatus({ ...ANY, ...expectation }, { status: answered, redirectsTo });

describe('the status of an answer', () => {
  it('any 2xx is up, and nothing else', () => {
    assert.deepEqual(
      [200, 204, 299].map((each) => status(each)),
      [null, null, null],
    );
    for (const each of [199, 300, 404, 500]) assert.equal(status(each)?.problem, 'status');
  });

  it('an expected status is the only one that is up', () => {
    assert.equal(status(404, { expectStatus: 404 }), null);
    assert.equal(status(200, { expectStatus: 404 })?.message, 'answered 200 instead of 404');
  });

  it('a redirect is up where it is expected, and is named where it is not', () => {
    assert.equal(status(308, { expectStatus: 308 }, 'shop.com'), null);
    const fault = status(302, {}, 'login.example');
    assert.equal(fault?.problem, 'redirect');
    assert.match(fault.message, /a redirect to login\.example/);
  });
});

describe('the body of an answer', () => {
  it('contains the expected text, or is a fault that does not repeat the body', () => {
    const expectation = { ...ANY, expectBodyContains: 'all good' };
    assert.equal(judgeBody(expectation, '... all good ...'), null);
    const fault = judgeBody(expectation, 'the password is secret');
    assert.equal(fault?.problem, 'body');
    assert.doesNotMatch(fault.message, /secret/);
  });

  it('has the expected value at a path, or is a fault that does not repeat the value', () => {
    const expectation = { ...ANY, json: { path: '$.checks[1].status', equals: 'up' } };
    assert.equal(judgeBody(expectation, '{"checks":[{"status":"down"},{"status":"up"}]}'), null);
    const other = judgeBody(expectation, '{"checks":[{"status":"up"},{"status":"secret"}]}');
    assert.equal(other?.problem, 'json');
    assert.doesNotMatch(other.message, /secret/);
    assert.match(judgeBody(expectation, '<html>')?.message ?? '', /has no \$\.checks/);
  });
});

describe('the value at a path', () => {
  for (const [text, path, value] of [
    ['{"a":"b"}', '$.a', 'b'],
    ['{"a":1}', '$.a', '1'],
    ['{"a":true}', '$.a', 'true'],
    ['{"a":null}', '$.a', 'null'],
    ['{"a":{"b":[1,2]}}', '$.a.b', '[1,2]'],
    ['[[0,7]]', '$[0][1]', '7'],
    ['{"a-b":{"_c":0}}', '$.a-b._c', '0'],
    ['{"a":"b"}', '$.b', null],
    ['{"a":"b"}', '$.a.length', null],
    ['{"a":[1]}', '$.a.length', null],
    ['{"a":[1]}', '$.a[1]', null],
    ['{"0":"x"}', '$[0]', null],
    ['{}', '$.constructor', null],
    ['{}', '$.__proto__', null],
    ['null', '$.a', null],
    ['', '$.a', null],
    ['{"a":', '$.a', null],
  ] as const) {
    it(`${path} of ${text || 'nothing'} is ${value}`, () => assert.equal(valueAt(text, path), value));
  }
});
