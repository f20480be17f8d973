import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  planRecord,
  type RecordPlan,
  type RecordWish,
  type ZoneRecord,
} from '../../../domain/custom-domains/conflicts.ts';
import type { AddressRecord } from '../../../domain/custom-domains/mode.ts';

const cname = (content: string, isOwn = false): ZoneRecord => ({ type: 'CNAME', content, isOwn });
const a = (content: string, isOwn = false): ZoneRecord => ({ type: 'A', content, isOwn });
const aaaa = (content: string, isOwn = false): ZoneRecord => ({ type: 'AAAA', content, isOwn });
const bare = ({ type, content }: AddressRecord): AddressRecord => ({ type, content });
const refuse = (...foreign: readonly ZoneRecord[]): RecordPlan => ({ kind: 'refuse', foreign: foreign.map(bare) });
const replace = (...replaced: readonly ZoneRecord[]): RecordPlan => ({ kind: 'replace', replaced: replaced.map(bare) });

const TARGET = cname('in.fairlead.dev');
const SITES = cname('sites.generated.net');
const WISH: RecordWish = {
  ...{ domain: 'shop.example.com', apex: 'example.com', wanted: bare(TARGET), existing: [] },
  ...{ replaceableTargets: ['Sites.Generated.net.'], platformDomain: 'apps.fairlead.dev', overwrite: false },
};

const TABLE: readonly (readonly [what: string, changes: Partial<RecordWish>, plan: RecordPlan])[] = [
  ['nothing stands there', {}, { kind: 'create' }],
  ['it leads there, whoever wrote it', { existing: [TARGET] }, { kind: 'keep' }],
  ['it leads there, in capitals and with a dot', { existing: [cname('IN.Fairlead.dev.')] }, { kind: 'keep' }],
  [
    'it leads there already, as an address',
    { wanted: bare(a('192.0.2.7')), existing: [a('192.0.2.7')] },
    { kind: 'keep' },
  ],
  ['a CNAME leads elsewhere', { existing: [cname('other.net')] }, refuse(cname('other.net'))],
  ['an A leads elsewhere', { existing: [a('198.51.100.9')] }, refuse(a('198.51.100.9'))],
  ['an AAAA leads elsewhere', { existing: [aaaa('2001:db8::9')] }, refuse(aaaa('2001:db8::9'))],
  [
    'one address is right and one is not',
    { wanted: bare(a('192.0.2.7')), existing: [a('192.0.2.7'), a('198.51.100.9')] },
    refuse(a('198.51.100.9')),
  ],
  [
    'an AAAA stands beside the right A',
    { wanted: bare(a('192.0.2.7')), existing: [a('192.0.2.7'), aaaa('2001:db8::9')] },
    refuse(aaaa('2001:db8::9')),
  ],
  ['the platform wrote another target', { existing: [cname('old.fairlead.dev', true)] }, replace()],
  ['the platform wrote one of another type', { existing: [a('192.0.2.1', true)] }, replace()],
  ['a target may be replaced', { existing: [SITES] }, replace(SITES)],
  ['an address of such a name may not', { existing: [{ ...SITES, type: 'A' }] }, refuse({ ...SITES, type: 'A' })],
  ['it led to the apex of its zone', { existing: [cname('example.com')] }, replace(cname('example.com'))],
  ['it led to the apex of another zone', { existing: [cname('example.org')] }, refuse(cname('example.org'))],
  [
    'it led to the apex, in the zone that the platform is in',
    { domain: 'shop.fairlead.dev', apex: 'fairlead.dev', existing: [cname('fairlead.dev')] },
    refuse(cname('fairlead.dev')),
  ],
  [
    'it led to the apex, inside the platform\u2019s domain',
    { domain: 'x.apps.fairlead.dev', apex: 'fairlead.dev', existing: [cname('fairlead.dev')] },
    refuse(cname('fairlead.dev')),
  ],
  ['one may be replaced and one is foreign', { existing: [SITES, a('198.51.100.9')] }, refuse(a('198.51.100.9'))],
  [
    'overwriting: a CNAME takes the place of addresses',
    { overwrite: true, existing: [a('198.51.100.9'), aaaa('2001:db8::9')] },
    replace(a('198.51.100.9'), aaaa('2001:db8::9')),
  ],
  [
    'overwriting: an address takes the place of a CNAME',
    { overwrite: true, wanted: bare(a('192.0.2.7')), existing: [cname('other.net')] },
    replace(cname('other.net')),
  ],
  ['overwriting what leads there changes nothing', { overwrite: true, existing: [TARGET] }, { kind: 'keep' }],
];

describe('planRecord', () => {
  for (const [what, changes, plan] of TABLE) {
    it(`${what}: ${plan.kind}`, () => assert.deepEqual(planRecord({ ...WISH, ...changes }), plan));
  }
});
