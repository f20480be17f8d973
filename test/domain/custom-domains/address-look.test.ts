import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AddressAnswer,
  describeAddresses,
  type Fact,
  judgeAddresses,
} from '../../../domain/custom-domains/address-look.ts';
import type { AddressRecord } from '../../../domain/custom-domains/mode.ts';

const WANTED: AddressRecord = { type: 'A', content: '192.0.2.7' };
const ELSEWHERE: AddressRecord = { type: 'A', content: '198.51.100.9' };
const says = (...records: readonly AddressRecord[]): AddressAnswer => ({ server: 's', records, problem: null });
const silent: AddressAnswer = { server: 's', records: null, problem: 'ESERVFAIL' };

const TABLE: readonly (readonly [string, readonly AddressAnswer[], readonly AddressAnswer[], Fact])[] = [
  ['all show it', [says(WANTED), says(WANTED)], [says(WANTED)], 'holds'],
  ['one resolver is behind', [says(WANTED)], [says(WANTED), says()], 'holds'],
  ['no resolver shows it yet', [says(WANTED)], [says(), says(ELSEWHERE)], 'missing'],
  ['one server of the zone is behind', [says(WANTED), says()], [says(WANTED)], 'unknown'],
  ['two servers of the zone have another', [says(ELSEWHERE), says(ELSEWHERE)], [], 'missing'],
  ['one server alone says that there is none', [says(), silent], [], 'unknown'],
  ['the right address with another beside it', [says(WANTED, ELSEWHERE), says(WANTED, ELSEWHERE)], [], 'missing'],
  [
    'the right address with an AAAA beside it',
    [says(WANTED, { type: 'AAAA', content: '2001:db8::9' }), says(WANTED, { type: 'AAAA', content: '2001:db8::9' })],
    [],
    'missing',
  ],
  [
    'a CNAME to whatever has that address',
    [says({ type: 'CNAME', content: 'in.a.net' }), says({ type: 'CNAME', content: 'in.a.net' })],
    [],
    'missing',
  ],
  ['no server of the zone answers and a resolver does', [silent], [says(WANTED)], 'holds'],
  ['no resolver answers', [says(WANTED)], [silent], 'holds'],
  ['nobody answers', [silent, silent], [silent], 'unknown'],
  ['nobody is known', [], [], 'unknown'],
];

describe('judgeAddresses', () => {
  for (const [what, authoritative, resolvers, fact] of TABLE) {
    it(`${what}: ${fact}`, () => assert.equal(judgeAddresses({ authoritative, resolvers }, WANTED), fact));
  }

  it('says what each server said', () => {
    const authoritative = [
      { ...says(ELSEWHERE), server: 'ns1.a.net' },
      { ...says(), server: 'ns2.a.net' },
    ];
    assert.equal(
      describeAddresses('a.com', { authoritative, resolvers: [silent] }),
      'ns1.a.net has A 198.51.100.9; ns2.a.net has no address record; s did not answer (ESERVFAIL)',
    );
    assert.match(describeAddresses('a.com', { authoritative: [], resolvers: [] }), /^no DNS server of a.com is known/);
  });
});
