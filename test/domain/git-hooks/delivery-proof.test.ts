import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import type { DeliveryProof } from '../../../domain/git-hooks/connection.ts';
import { checkProof, type DeliveryHeaders, proofsOf, readProof } from '../../../domain/git-hooks/delivery-proof.ts';
import type { GitProvider } from '../../../domain/git-provider.ts';
import { standardSignature } from '../../support/sign-delivery.ts';

const SECRET = "It's a Secret to Everybody";
const OTHER = 'the secret of another connection';
const SIGNING = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const OTHER_SIGNING = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
const BODY = 'Hello, World!';
const NOW = new Date('2026-01-01T00:00:00.000Z');
const SECONDS = NOW.getTime() / 1000;
const ID = 'msg_2';

const hex = (secret: string, body = BODY, algorithm = 'sha256'): string =>
  createHmac(algorithm, secret).update(body).digest('hex');
const v1 = (secret: string, { id = ID, seconds = SECONDS, body = BODY } = {}): string =>
  `v1,${standardSignature(secret, id, seconds, body)}`;

interface Row {
  readonly name: string;
  readonly headers: DeliveryHeaders;
  readonly genuine: boolean;
  readonly secrets?: readonly string[];
  readonly body?: string;
}

const GENUINE = true;
const REFUSED = false;

function assertRows(of: { provider: GitProvider; proof: DeliveryProof }, secret: string, rows: readonly Row[]): void {
  assert.ok(rows.some(({ genuine }) => genuine) && rows.some(({ genuine }) => !genuine));
  for (const { name, headers, genuine, secrets = [secret], body = BODY } of rows) {
    const check = checkProof(readProof(of, headers, NOW), secrets);
    for (const byte of Buffer.from(body)) check.update(Buffer.of(byte));
    assert.equal(check.end() !== null, genuine, `${of.provider}: ${name}`);
  }
}

/** What holds for every header with hexadecimal digits. */
function hexRows(header: string, prefix: string): readonly Row[] {
  const of = (value: string) => ({ [header]: value });
  const good = prefix + hex(SECRET);
  return [
    { name: 'signed', headers: of(good), genuine: GENUINE },
    { name: 'signed with the older of two secrets', headers: of(good), secrets: [OTHER, SECRET], genuine: GENUINE },
    { name: 'signed with the newer of two secrets', headers: of(good), secrets: [SECRET, OTHER], genuine: GENUINE },
    { name: 'no header', headers: {}, genuine: REFUSED },
    { name: 'an empty header', headers: of(''), genuine: REFUSED },
    { name: 'nothing but what stands in front', headers: of(prefix), genuine: REFUSED },
    { name: 'cut short', headers: of(good.slice(0, -1)), genuine: REFUSED },
    { name: 'half of it', headers: of(good.slice(0, -32)), genuine: REFUSED },
    { name: 'something behind it', headers: of(`${good}0`), genuine: REFUSED },
    { name: 'a blank in front', headers: of(` ${good}`), genuine: REFUSED },
    { name: 'in upper case', headers: of(prefix + hex(SECRET).toUpperCase()), genuine: REFUSED },
    { name: 'of another connection', headers: of(prefix + hex(OTHER)), genuine: REFUSED },
    { name: 'with the empty secret', headers: of(prefix + hex('')), genuine: REFUSED },
    { name: 'where there is no secret', headers: of(prefix + hex('')), secrets: [], genuine: REFUSED },
    { name: 'zeros where there is no secret', headers: of(prefix + '0'.repeat(64)), secrets: [], genuine: REFUSED },
    { name: 'by SHA-1', headers: of(prefix + hex(SECRET, BODY, 'sha1')), genuine: REFUSED },
    { name: 'by SHA-512', headers: of(prefix + hex(SECRET, BODY, 'sha512')), genuine: REFUSED },
    { name: 'named SHA-1', headers: of(`sha1=${hex(SECRET)}`), genuine: REFUSED },
    { name: 'a body changed by a byte', headers: of(good), body: 'Hello, World?', genuine: REFUSED },
    { name: 'a body with a byte more', headers: of(good), body: `${BODY}\n`, genuine: REFUSED },
    { name: 'no body', headers: of(good), body: '', genuine: REFUSED },
    { name: 'sent twice', headers: of(`${good}, ${good}`), genuine: REFUSED },
    { name: 'sent twice, kept apart', headers: { [header]: [good, good] }, genuine: REFUSED },
    { name: 'digits that are not ASCII', headers: of(prefix + '０'.repeat(64)), genuine: REFUSED },
    { name: 'signs that are not ASCII', headers: of(`${good.slice(0, -1)}é`), genuine: REFUSED },
    { name: 'with a line end', headers: of(`${good}\n`), genuine: REFUSED },
    { name: 'as a token of GitLab', headers: { 'x-gitlab-token': SECRET }, genuine: REFUSED },
  ];
}

describe('proofs of deliveries', () => {
  it('of GitHub', () => {
    const header = 'x-hub-signature-256';
    assertRows({ provider: 'github', proof: 'signature' }, SECRET, [
      ...hexRows(header, 'sha256='),
      { name: 'without the name of the algorithm', headers: { [header]: hex(SECRET) }, genuine: REFUSED },
      { name: 'the older header of SHA-1', headers: { 'x-hub-signature': `sha1=${hex(SECRET)}` }, genuine: REFUSED },
      { name: 'the header of Gitea', headers: { 'x-gitea-signature': hex(SECRET) }, genuine: REFUSED },
    ]);
  });

  it('of GitHub, by the example of its documentation', () => {
    const digest = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const headers = { 'x-hub-signature-256': `sha256=${digest}` };
    const check = checkProof(readProof({ provider: 'github', proof: 'signature' }, headers, NOW), [SECRET]);
    check.update(Buffer.from(BODY));
    assert.equal(check.end(), 0);
  });

  it('of Gitea, whose connection does not take the header of GitHub that it sends too', () => {
    const own = { 'x-gitea-signature': hex(SECRET) };
    assertRows({ provider: 'gitea', proof: 'signature' }, SECRET, [
      ...hexRows('x-gitea-signature', ''),
      { name: 'only of GitHub', headers: { 'x-hub-signature-256': `sha256=${hex(SECRET)}` }, genuine: REFUSED },
      {
        name: 'beside a wrong one of GitHub',
        headers: { ...own, 'x-hub-signature-256': 'sha256=0' },
        genuine: GENUINE,
      },
      { name: 'the header of Gogs', headers: { 'x-gogs-signature': hex(SECRET) }, genuine: REFUSED },
      { name: 'the header of Forgejo', headers: { 'x-forgejo-signature': hex(SECRET) }, genuine: REFUSED },
    ]);
  });

  it('of Forgejo, by either header, and by both where both are there', () => {
    const both = (forgejo: string, gitea: string) => ({ 'x-forgejo-signature': forgejo, 'x-gitea-signature': gitea });
    assertRows({ provider: 'forgejo', proof: 'signature' }, SECRET, [
      ...hexRows('x-forgejo-signature', ''),
      ...hexRows('x-gitea-signature', ''),
      { name: 'both', headers: both(hex(SECRET), hex(SECRET)), genuine: GENUINE },
      { name: 'one of them wrong', headers: both(hex(SECRET), hex(OTHER)), genuine: REFUSED },
      { name: 'the other one wrong', headers: both(hex(OTHER), hex(SECRET)), genuine: REFUSED },
      { name: 'one of them empty', headers: both(hex(SECRET), ''), genuine: REFUSED },
      {
        name: 'each by another secret',
        headers: both(hex(SECRET), hex(OTHER)),
        secrets: [SECRET, OTHER],
        genuine: REFUSED,
      },
    ]);
  });

  it('of GitLab, signed as Standard Webhooks say', () => {
    const of = (changes: DeliveryHeaders) => ({
      'webhook-id': ID,
      'webhook-timestamp': String(SECONDS),
      'webhook-signature': v1(SIGNING),
      ...changes,
    });
    const at = (seconds: number) =>
      of({ 'webhook-timestamp': String(seconds), 'webhook-signature': v1(SIGNING, { seconds }) });
    const signature = (value: string | undefined) => of({ 'webhook-signature': value });
    const base64 = v1(SIGNING).slice(3);
    const urlSafe = v1(SIGNING).replaceAll('+', '-').replaceAll('/', '_');
    assertRows({ provider: 'gitlab', proof: 'signature' }, SIGNING, [
      { name: 'signed', headers: of({}), genuine: GENUINE },
      { name: 'with the older of two secrets', headers: of({}), secrets: [OTHER_SIGNING, SIGNING], genuine: GENUINE },
      {
        name: 'by two keys of the sender',
        headers: signature(`${v1(OTHER_SIGNING)} ${v1(SIGNING)}`),
        genuine: GENUINE,
      },
      { name: 'beside another version', headers: signature(`v1a,${base64} ${v1(SIGNING)}`), genuine: GENUINE },
      { name: 'five minutes old', headers: at(SECONDS - 300), genuine: GENUINE },
      { name: 'five minutes early', headers: at(SECONDS + 300), genuine: GENUINE },
      { name: 'older than five minutes', headers: at(SECONDS - 301), genuine: REFUSED },
      { name: 'earlier than five minutes', headers: at(SECONDS + 301), genuine: REFUSED },
      {
        name: 'another time than was signed',
        headers: of({ 'webhook-timestamp': String(SECONDS + 1) }),
        genuine: REFUSED,
      },
      { name: 'another id than was signed', headers: of({ 'webhook-id': 'msg_1' }), genuine: REFUSED },
      { name: 'no id', headers: of({ 'webhook-id': undefined }), genuine: REFUSED },
      { name: 'an empty id', headers: of({ 'webhook-id': '' }), genuine: REFUSED },
      { name: 'an id with a dot', headers: of({ 'webhook-id': 'msg.1' }), genuine: REFUSED },
      { name: 'no time', headers: of({ 'webhook-timestamp': undefined }), genuine: REFUSED },
      { name: 'a time that is no number', headers: of({ 'webhook-timestamp': 'now' }), genuine: REFUSED },
      { name: 'a time with a sign', headers: of({ 'webhook-timestamp': `+${SECONDS}` }), genuine: REFUSED },
      {
        name: 'a time with a part of a second',
        headers: of({ 'webhook-timestamp': `${SECONDS}.0` }),
        genuine: REFUSED,
      },
      { name: 'no signature', headers: signature(undefined), genuine: REFUSED },
      { name: 'an empty signature', headers: signature(''), genuine: REFUSED },
      { name: 'a version and nothing else', headers: signature('v1,'), genuine: REFUSED },
      { name: 'no version', headers: signature(base64), genuine: REFUSED },
      { name: 'another version only', headers: signature(`v1a,${base64}`), genuine: REFUSED },
      { name: 'cut short', headers: signature(v1(SIGNING).slice(0, -4)), genuine: REFUSED },
      { name: 'without its padding', headers: signature(v1(SIGNING).replace(/=$/, '')), genuine: REFUSED },
      {
        name: 'in hexadecimal',
        headers: signature(`v1,${Buffer.from(base64, 'base64').toString('hex')}`),
        genuine: REFUSED,
      },
      { name: 'with commas between', headers: signature(`${v1(SIGNING)},${v1(SIGNING)}`), genuine: REFUSED },
      {
        name: 'more signatures than a sender has',
        headers: signature(Array(11).fill(v1(SIGNING)).join(' ')),
        genuine: REFUSED,
      },
      { name: 'of another connection', headers: signature(v1(OTHER_SIGNING)), genuine: REFUSED },
      {
        name: 'with the secret as text',
        headers: signature(`v1,${createHmac('sha256', SIGNING).update(`${ID}.${SECONDS}.${BODY}`).digest('base64')}`),
        genuine: REFUSED,
      },
      {
        name: 'over the body alone',
        headers: signature(`v1,${createHmac('sha256', Buffer.alloc(32, 5)).update(BODY).digest('base64')}`),
        genuine: REFUSED,
      },
      { name: 'a body changed by a byte', headers: of({}), body: 'Hello, World?', genuine: REFUSED },
      { name: 'where there is no secret', headers: signature(v1('whsec_')), secrets: [], genuine: REFUSED },
      { name: 'the signing key as a plain token', headers: { 'x-gitlab-token': SIGNING }, genuine: REFUSED },
    ]);
    assert.notEqual(urlSafe, v1(SIGNING), 'the example has signs by which the two alphabets differ');
    assertRows({ provider: 'gitlab', proof: 'signature' }, SIGNING, [
      { name: 'signed', headers: of({}), genuine: GENUINE },
      { name: 'in the alphabet of URLs', headers: signature(urlSafe), genuine: REFUSED },
    ]);
  });

  it('of GitLab, by its plain token', () => {
    const of = (token: string | readonly string[]) => ({ 'x-gitlab-token': token });
    assertRows({ provider: 'gitlab', proof: 'token' }, SECRET, [
      { name: 'the token', headers: of(SECRET), genuine: GENUINE },
      { name: 'the older of two', headers: of(SECRET), secrets: [OTHER, SECRET], genuine: GENUINE },
      { name: 'whatever the body is, which it does not sign', headers: of(SECRET), body: 'x', genuine: GENUINE },
      { name: 'none', headers: {}, genuine: REFUSED },
      { name: 'an empty one', headers: of(''), genuine: REFUSED },
      { name: 'an empty one where there is no secret', headers: of(''), secrets: [], genuine: REFUSED },
      { name: 'cut short', headers: of(SECRET.slice(0, -1)), genuine: REFUSED },
      { name: 'in another case', headers: of(SECRET.toUpperCase()), genuine: REFUSED },
      { name: 'with a blank', headers: of(`${SECRET} `), genuine: REFUSED },
      { name: 'sent twice', headers: of(`${SECRET}, ${SECRET}`), genuine: REFUSED },
      { name: 'sent twice, kept apart', headers: of([SECRET, SECRET]), genuine: REFUSED },
      { name: 'of another connection', headers: of(OTHER), genuine: REFUSED },
      { name: 'a signature in its place', headers: of(hex(SECRET)), genuine: REFUSED },
      {
        name: 'signed, but no token',
        headers: { 'webhook-signature': v1(SIGNING), 'webhook-id': ID, 'webhook-timestamp': String(SECONDS) },
        genuine: REFUSED,
      },
    ]);
  });

  it('are named by the provider: only GitLab has a plain token', () => {
    assert.deepEqual(
      (['github', 'gitea', 'forgejo', 'gitlab'] as const).map((provider) => proofsOf(provider)),
      [['signature'], ['signature'], ['signature'], ['signature', 'token']],
    );
    assert.equal(readProof({ provider: 'github', proof: 'token' }, { 'x-gitlab-token': SECRET }, NOW), null);
  });
});
