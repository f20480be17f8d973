import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mailboxOf, nextQuestion, type Questions, subscribing } from '../../../domain/notifications/subscriber.ts';

const AT = new Date('2026-11-01T10:00:00Z');
const ago = (minutes: number): Date => new Date(AT.getTime() - minutes * 60_000);
const asked = (...minutes: number[]): Questions => ({ askedBy: 'sbr_before', times: minutes.map(ago) });

it('a request asks an address that is not confirmed, once more with the same link for the same request alone', () => {
  const cases = [
    ['nobody', null, 'ask'],
    ['pending, of another request', { state: 'pending', askedBy: 'sbr_other' }, 'ask'],
    ['pending, of this request', { state: 'pending', askedBy: 'sbr_this' }, 'askAgain'],
    ['confirmed', { state: 'confirmed', askedBy: 'sbr_other' }, 'pass'],
    ['confirmed, by this request', { state: 'confirmed', askedBy: 'sbr_this' }, 'pass'],
  ] as const;
  for (const [what, known, next] of cases) assert.equal(subscribing(known, 'sbr_this'), next, what);
});

it('what follows a + in an address does not make another mailbox of it', () => {
  assert.deepEqual(
    ['ada+1@example.com', 'ada+b+c@example.com', 'ada@plus+example.com', '+@example.com'].map(mailboxOf),
    ['ada@example.com', 'ada@example.com', 'ada@plus+example.com', '@example.com'],
  );
});

it('an address is asked once an hour, and four times in 24 hours, on all pages', () => {
  const cases = [
    ['never', null, true],
    ['just now', asked(0), false],
    ['59 minutes ago', asked(59), false],
    ['an hour ago', asked(60), true],
    ['three times today', asked(60, 120, 180), true],
    ['four times today', asked(60, 120, 180, 240), false],
    ['four times, once of them yesterday', asked(60, 120, 180, 24 * 60), true],
    ['four times, all yesterday', asked(1_441, 1_442, 1_443, 1_444), true],
  ] as const;
  for (const [what, known, isAsked] of cases) {
    const next = nextQuestion(known, { id: 'sbr_this', at: AT });
    assert.equal(next?.askedBy === 'sbr_this', isAsked, what);
    if (next !== null) assert.ok(next.times.length <= 4 && next.times[0] === AT, what);
  }
});

it('another attempt for one request is no further question', () => {
  const known = { askedBy: 'sbr_this', times: [ago(1)] };
  assert.equal(nextQuestion(known, { id: 'sbr_this', at: AT }), known);
});
