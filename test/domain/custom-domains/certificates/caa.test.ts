import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CaaRecord, caaNames, caaRefusal } from '../../../../domain/custom-domains/certificates/caa.ts';

const question = {
  ...{ host: 'shop.example.com', isWildcard: false, identities: ['ca.example', 'ca.test'] },
  ...{ accountUrl: 'https://ca.example/acct/1', method: 'http-01' as const },
};
const issue = (value: string): CaaRecord => ({ critical: false, tag: 'issue', value });

describe('CAA records', () => {
  it('are looked for at the name and each one above', () => {
    assert.deepEqual(caaNames('a.shop.example.com'), ['a.shop.example.com', 'shop.example.com', 'example.com', 'com']);
  });

  const wild: CaaRecord = { critical: false, tag: 'issuewild', value: ';' };
  const cases: readonly (readonly [
    what: string,
    records: readonly CaaRecord[],
    mayIssue: boolean,
    isWildcard?: boolean,
  ])[] = [
    ['none', [], true],
    ['ours', [issue('ca.example')], true],
    ['ours in capitals, with spaces', [issue(' CA.Example ; ')], true],
    ['another of our names', [issue('ca.test')], true],
    ['ours among others', [issue('other.example'), issue('ca.example')], true],
    ['others', [issue('other.example')], false],
    ['nobody', [issue(';')], false],
    ['ours with a dot at its end, which authorities do not take for theirs', [issue('ca.example.')], false],
    ['a name that ends as ours', [issue('evil-ca.example')], false],
    ['no word on issuing', [{ critical: false, tag: 'iodef', value: 'mailto:a@b.example' }], true],
    ['an unknown tag', [{ critical: false, tag: 'tbs', value: 'x' }], true],
    ['an unknown tag that is critical', [{ critical: true, tag: 'tbs', value: 'x' }, issue('ca.example')], false],
    ['our account', [issue('ca.example; accounturi=https://ca.example/acct/1')], true],
    ['another account', [issue('ca.example; accounturi=https://ca.example/acct/2')], false],
    ['our method', [issue('ca.example; validationmethods=dns-01,http-01')], true],
    ['another method', [issue('ca.example; validationmethods=dns-01')], false],
    ['no wildcard, asked for none', [issue('ca.example'), wild], true],
    ['no wildcard, asked for one', [issue('ca.example'), wild], false, true],
    ['a wildcard by the usual record', [issue('ca.example')], true, true],
  ];
  for (const [what, records, mayIssue, isWildcard = false] of cases) {
    it(`${mayIssue ? 'let' : 'do not let'} the authority issue: ${what}`, () => {
      const refusal = caaRefusal(records, 'example.com', { ...question, isWildcard });
      assert.equal(refusal === null, mayIssue, String(refusal));
      if (refusal !== null) assert.match(refusal, /example\.com/);
    });
  }

  it('that refuse are told with the record to add, as zone files write it', () => {
    const refusal = caaRefusal([issue('other.example')], 'example.com', question);
    assert.match(refusal ?? '', /: add the record 0 issue "ca\.example" there$/);
  });

  it('do not bind an authority that names itself nowhere', () => {
    assert.equal(caaRefusal([issue('other.example')], 'example.com', { ...question, identities: [] }), null);
  });
});
