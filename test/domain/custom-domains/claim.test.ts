import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type ClaimFacts,
  type ClaimRequest,
  type ClaimVerdict,
  judgeClaim,
} from '../../../domain/custom-domains/claim.ts';
import { released } from '../../../domain/custom-domains/custom-domain.ts';
import { AT, freeName, heldName, type holder, zoneMade } from '../../ports/custom-domains/records.ts';

const DAY_MS = 86_400_000;
const days = (count: number): Date => new Date(AT.getTime() + count * DAY_MS);
const CLAIM: ClaimRequest = {
  ...{ domain: 'shop.example.com', apex: 'example.com', serviceId: 'svc_2', org: 'globex', claimant: 'globex' },
  ...{ byAdministrator: false },
  ...{ environment: 'prod', mode: 'direct' },
};
const NO_ORGS = { owning: [], left: [], leftEver: [], proven: [], delegated: [], holding: [], zoneMade: null };
const PROVEN = { ...NO_ORGS, owning: ['globex'], holding: ['globex'], proven: ['globex'] };
const WITH_ORGS = { ...NO_ORGS, owning: ['globex'], holding: ['globex', 'acme'], delegated: ['globex'] };
/** Its zone was made for globex, and is delegated to it. */
const DELEGATED = {
  hasZone: true,
  orgsOfApex: { ...WITH_ORGS, zoneMade: zoneMade({ org: 'globex' }) },
};
const owning = (...orgs: readonly string[]) => ({ ...NO_ORGS, owning: orgs, holding: orgs });
const FACTS: ClaimFacts = {
  ...{ record: null, holderExists: true, isProven: false, orgsOfApex: NO_ORGS },
  ...{ hasZone: false, holderOwesProof: false, ownsApex: false, leadsHere: false },
  ...{
    isBackInZone: false,
    platformOrg: 'platform',
    platformNames: ['apps.fairlead.dev', 'id.corp.net'],
    now: days(1),
  },
};
const left = freeName({ former: { serviceId: 'svc_1', org: 'acme', until: AT } });
const unproven = heldName({ state: 'pending-dns' });
const owned = heldName({ state: 'active', ownedSince: AT, verifiedAt: AT });
const proven = heldName({ state: 'active', ownedSince: AT, verifiedAt: AT, provenAt: AT });
const movedAway = heldName({ state: 'pending-dns', ownedSince: AT, provenAt: AT });
const asked = (org: string, at: Date) => freeName({ contenders: [{ org, at }] });
const failed = heldName({ state: 'failed' });
const failedOwned = heldName({ state: 'failed', ownedSince: AT });
const failedProven = heldName({ state: 'failed', provenAt: AT });
const MANAGED = { mode: 'cloudflare' } as const;
const madeBy = (org: string, wasElsewhere = true) => ({
  hasZone: true,
  orgsOfApex: { ...NO_ORGS, zoneMade: zoneMade({ org, wasElsewhere }) },
});
const free = (asksProof: boolean, displaces: ReturnType<typeof holder> | null = null): ClaimVerdict => ({
  ...{ kind: 'free', displaces, asksProof },
});

const TABLE: readonly (readonly [
  what: string,
  facts: Partial<ClaimFacts>,
  verdict: ClaimVerdict,
  claim?: Partial<ClaimRequest>,
])[] = [
  ['nobody ever had it', {}, free(false)],
  ['it left another service lately', { record: left }, free(true)],
  ['it left another service lately, and is proven', { record: left, isProven: true }, free(false)],
  ['it left another service 89 days ago', { record: left, now: days(89) }, free(true)],
  ['it left another service 90 days ago', { record: left, now: days(90) }, free(false)],
  ['it left this service', { record: left }, free(false), { serviceId: 'svc_1', org: 'acme' }],
  ['it left this service, which is another org\u2019s by now', { record: left }, free(true), { serviceId: 'svc_1' }],
  ['another org has names of the registrable domain', { orgsOfApex: owning('acme') }, free(true)],
  ['its own org has, and another as well', { orgsOfApex: owning('globex', 'acme') }, free(true)],
  [
    'the zone was delegated to its own org, and another says that a name of it is theirs',
    DELEGATED,
    free(false),
    MANAGED,
  ],
  ['the same, where the platform has no zone of it by now', { orgsOfApex: WITH_ORGS }, free(true), MANAGED],
  ['the same, of a name whose record the customer sets', DELEGATED, free(true)],
  [
    'its own org has a name by a record that leads here, and another says that a name of the domain is theirs',
    { orgsOfApex: { ...NO_ORGS, owning: ['globex'], holding: ['globex', 'acme'] } },
    free(true),
  ],
  [
    'another org has names of the domain, and this one has proven the domain itself',
    { orgsOfApex: { ...owning('acme', 'globex'), proven: ['globex'] } },
    free(false),
  ],
  [
    'an org that shares the service adds it, which has proven the domain',
    { orgsOfApex: PROVEN },
    free(true),
    { org: 'acme', claimant: 'globex' },
  ],
  [
    'an org that shares a service of the platform adds it',
    madeBy('globex'),
    free(true),
    { ...MANAGED, org: 'platform', claimant: 'globex' },
  ],
  ['its own org alone has', { orgsOfApex: owning('globex') }, free(false)],
  [
    'another org gave back a name of the registrable domain',
    { orgsOfApex: { ...NO_ORGS, left: ['acme'] } },
    free(true),
  ],
  [
    'its own org gave back a name of the registrable domain',
    { orgsOfApex: { ...NO_ORGS, left: ['globex'] } },
    free(false),
  ],
  ['the registrable domain is the platform\u2019s', {}, free(true), { domain: 'x.fairlead.dev', apex: 'fairlead.dev' }],
  [
    'the registrable domain is the platform\u2019s, and an administrator gives it to a service of its org',
    {},
    free(false),
    { domain: 'x.fairlead.dev', apex: 'fairlead.dev', org: 'platform', byAdministrator: true },
  ],
  [
    'the same by a member of that org',
    {},
    free(true),
    { domain: 'x.fairlead.dev', apex: 'fairlead.dev', org: 'platform' },
  ],
  ['a host of the platform is in the registrable domain', {}, free(true), { domain: 'x.corp.net', apex: 'corp.net' }],
  [
    'it left another service of its own org lately, in a zone that was made for the org',
    { record: left, hasZone: true, orgsOfApex: { ...NO_ORGS, left: ['acme'], zoneMade: zoneMade({}) } },
    free(false),
    { ...MANAGED, org: 'acme' },
  ],
  [
    'the same, of a name whose record the customer sets',
    { record: left, orgsOfApex: { ...NO_ORGS, left: ['acme'] } },
    free(true),
    { org: 'acme' },
  ],
  [
    'it strayed with a zone of the operator, and is back in it',
    { hasZone: true, isBackInZone: true, orgsOfApex: owning('acme', 'globex') },
    free(false),
    MANAGED,
  ],
  ['no add made the zone in the account', { hasZone: true }, free(true), MANAGED],
  ['such a zone, where the domain itself is proven', { hasZone: true, orgsOfApex: PROVEN }, free(false), MANAGED],
  [
    'such a zone, which an administrator gives to a service of the platform\u2019s org',
    { hasZone: true },
    free(false),
    { ...MANAGED, org: 'platform', byAdministrator: true },
  ],
  ['such a zone, and a member of that org', { hasZone: true }, free(true), { ...MANAGED, org: 'platform' }],
  [
    'such a zone, and an administrator for a service of another org',
    { hasZone: true },
    free(true),
    { ...MANAGED, byAdministrator: true },
  ],
  ['such a zone, where the customer sets the record', { hasZone: true }, free(false)],
  ['the zone was made for another org', madeBy('acme'), free(true), MANAGED],
  ['the zone was made for its own org, of a domain that led elsewhere', madeBy('globex'), free(false), MANAGED],
  [
    'the zone that was made for its own org is gone, and somebody made another one',
    {
      hasZone: true,
      orgsOfApex: { ...NO_ORGS, zoneMade: zoneMade({ org: 'globex', isGone: true }) },
    },
    free(true),
    MANAGED,
  ],
  [
    'the zone was made for its own org, of a domain that may have been delegated before',
    madeBy('globex', false),
    free(true),
    MANAGED,
  ],
  [
    'the zone was made for its own org, and a name in it was another\u2019s years ago',
    { hasZone: true, orgsOfApex: { ...madeBy('globex').orgsOfApex, leftEver: ['globex', 'acme'] } },
    free(true),
    MANAGED,
  ],
  ['somebody is known to own it', { record: owned }, { kind: 'taken' }],
  [
    'somebody owns it by records that lead here, and this one proves it',
    { record: owned, isProven: true },
    free(false, owned.holder),
  ],
  ['somebody proved it, whatever is proven by this one', { record: proven, isProven: true }, { kind: 'taken' }],
  [
    'somebody proved it, is not served, and this one proves it by now',
    { record: movedAway, isProven: true },
    free(false, movedAway.holder),
  ],
  ['another org asked for it lately', { record: asked('acme', AT) }, free(true)],
  ['another org asked for it lately, and it is proven', { record: asked('acme', AT), isProven: true }, free(false)],
  ['another org asked for it 90 days ago', { record: asked('acme', AT), now: days(90) }, free(false)],
  ['its own org asked for it lately', { record: asked('globex', AT) }, free(false)],
  [
    'another org has names of the domain that are not known to be theirs',
    { orgsOfApex: { ...NO_ORGS, holding: ['acme'] } },
    free(true),
  ],
  [
    'another org asked for it lately, and this one has proven the domain',
    { record: asked('acme', AT), orgsOfApex: PROVEN },
    free(false),
  ],
  [
    'another org asked for it lately, and the zone was delegated to this one',
    { record: asked('acme', AT), ...DELEGATED },
    free(false),
    MANAGED,
  ],
  [
    'it left another service lately, and this one has proven the domain',
    { record: left, orgsOfApex: PROVEN },
    free(false),
  ],
  ['it led here before the claim', { leadsHere: true }, free(true)],
  ['it led here before, and its own org has the domain itself', { leadsHere: true, ownsApex: true }, free(false)],
  ['it led here before, and its own org has proven the domain', { leadsHere: true, orgsOfApex: PROVEN }, free(false)],
  [
    'it led here before, and an administrator says for whom',
    { leadsHere: true },
    free(false),
    { byAdministrator: true },
  ],
  [
    'it led here before, as it left this service lately',
    { leadsHere: true, record: left },
    free(false),
    { serviceId: 'svc_1', org: 'acme' },
  ],
  [
    'it led here before, as it left this service long ago',
    { leadsHere: true, record: left, now: days(90) },
    free(true),
    { serviceId: 'svc_1', org: 'acme' },
  ],
  [
    'somebody owes a proof of it, and the zone was delegated to this one',
    { record: unproven, holderOwesProof: true, ...DELEGATED },
    free(false, unproven.holder),
    MANAGED,
  ],
  [
    'somebody owes a proof of it, and so does this one',
    { record: unproven, holderOwesProof: true, orgsOfApex: { ...NO_ORGS, holding: ['acme'] } },
    { kind: 'taken' },
  ],
  [
    'somebody strayed and owes a proof, and this one has proven the domain',
    { record: owned, holderOwesProof: true, orgsOfApex: { ...PROVEN, owning: ['acme', 'globex'] } },
    free(false, owned.holder),
  ],
  ['somebody only says so', { record: unproven }, { kind: 'taken' }],
  ['somebody only says so, and this one proves it', { record: unproven, isProven: true }, free(false, unproven.holder)],
  ['who had it has failed, and never proved it', { record: failed }, free(false, failed.holder)],
  ['who had it has failed, and was known to own it', { record: failedOwned }, { kind: 'taken' }],
  ['who had it has failed, and had proved it', { record: failedProven }, { kind: 'taken' }],
  [
    'who had it has failed, was known to own it, and this one proves it',
    { record: failedOwned, isProven: true },
    free(false, failedOwned.holder),
  ],
  [
    'who had it has failed, and this one owes a proof itself',
    { record: failed, orgsOfApex: owning('other') },
    { kind: 'taken' },
  ],
  ['the service that had it is gone', { record: owned, holderExists: false }, free(true, owned.holder)],
  ['it is its own', { record: owned }, { kind: 'held' }, { serviceId: 'svc_1', org: 'acme' }],
  [
    'it is its own in another environment',
    { record: owned },
    { kind: 'elsewhere', environment: 'prod' },
    { serviceId: 'svc_1', org: 'acme', environment: 'uat' },
  ],
];

/** Who is judged is the owner, where nothing else is said. */
const byItself = ({ org }: Partial<ClaimRequest> = {}) => (org === undefined ? {} : { claimant: org });

describe('judgeClaim', () => {
  for (const [what, facts, verdict, claim] of TABLE) {
    const proof = verdict.kind === 'free' && verdict.asksProof ? ', with a proof' : '';
    it(`${what}: ${verdict.kind}${proof}`, () => {
      assert.deepEqual(judgeClaim({ ...CLAIM, ...byItself(claim), ...claim }, { ...FACTS, ...facts }), verdict);
    });
  }

  it('a claim between that was never proven does not wash off who had it', () => {
    const claimed = heldName({ serviceId: 'svc_2', org: 'globex' }, { former: left.former });
    const record = released(claimed, days(2));
    assert.deepEqual(record.former, left.former);
    assert.deepEqual(judgeClaim(CLAIM, { ...FACTS, record, now: days(3) }), free(true));
  });

  it('a name that was proven is remembered when it is given back', () => {
    const { former, holder: nobody } = released(owned, days(5));
    assert.deepEqual([former, nobody], [{ serviceId: 'svc_1', org: 'acme', until: days(5) }, null]);
  });
});
