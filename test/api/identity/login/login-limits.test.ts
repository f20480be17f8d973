import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LOGIN_LIMITS } from '../../../../domain/identity/lockout.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { createBrowser, type FormFields, hiddenFields, type Page } from '../pages/browse.ts';
import { answerChallenge } from './answer-challenge.ts';

const PASSWORD = 'correct horse battery';
const OFFICE = '203.0.113.7';

describe('fifty wrong passwords from one address', () => {
  let idp: TestIdp;
  let tried = 0;
  before(async () => {
    idp = await startIdp({ trustedProxies: ['loopback'] });
    const { address } = LOGIN_LIMITS;
    const guesses = Array.from({ length: address.failures }, () => guess());
    for (const { status } of await Promise.all(guesses)) assert.equal(status, 401);
  });
  after(() => idp.stop());

  const from = (address: string) => ({ 'x-forwarded-for': address });
  async function logIn(email: string, password: string, more: FormFields = {}, address = OFFICE): Promise<Page> {
    const browser = createBrowser(idp);
    return browser.submit(await browser.open('/login'), '/login', { email, password, ...more }, from(address));
  }
  /** One more password for one more account. */
  function guess(more: FormFields = {}): Promise<Page> {
    tried += 1;
    return logIn(`guess${tried}@example.com`, PASSWORD, more);
  }
  const paceKey = () => `login:address:${idp.deps.tokens.hash(OFFICE)}:pace`;
  /** Somebody at the address who never stops takes every attempt that is let through. */
  async function keepTrying(): Promise<void> {
    await idp.deps.attempts.clear(paceKey());
    await idp.deps.attempts.count(paceKey(), 600, idp.deps.now());
  }
  /** The form after a guess that was not looked at: it has a challenge. */
  async function refusedForm(): Promise<FormFields> {
    await keepTrying();
    const page = await guess();
    assert.equal(page.status, 429);
    return hiddenFields(page, '/login');
  }
  const answerOf = ({ challenge = '' }: FormFields) => answerChallenge({ token: challenge, bits: 11 });
  let people = 0;
  async function colleague(): Promise<string> {
    people += 1;
    const { email } = await idp.seedUser(`colleague${people}@example.com`, { password: PASSWORD });
    return email;
  }

  it('lock nobody else out: after two seconds the next attempt is looked at', async () => {
    let last = 0;
    for (let guesses = 0; last !== 429 && guesses < 20; guesses += 1) last = (await guess()).status;
    assert.equal(last, 429, 'one every two seconds is looked at');
    idp.advance(2_001);
    assert.equal((await logIn(await colleague(), PASSWORD)).status, 303);
  });

  it('lock nobody else out while they go on: who answers a challenge gets in at once', async () => {
    const email = await colleague();
    const form = await refusedForm();
    const answer = answerOf(form);
    assert.equal((await logIn(email, PASSWORD, { challenge: form.challenge ?? '', answer })).status, 303);
  });

  it('cost who goes on an answer for each: it counts once, for its own challenge', async () => {
    const form = await refusedForm();
    const { challenge = '' } = form;
    const answer = answerOf(form);
    const email = await colleague();
    const refused = async (more: FormFields) => (await logIn(email, PASSWORD, more)).status;
    // The first answer is good, so the number before it is none.
    assert.equal(await refused({ challenge, answer: String(Math.max(0, Number(answer) - 1)) }), 429);
    assert.equal(await refused({ challenge: `${challenge}x`, answer }), 429);
    assert.equal((await guess({ challenge, answer })).status, 401, 'a good answer has a password looked at');
    assert.equal(await refused({ challenge, answer }), 429, 'and once');
  });

  it('let a password be changed on the account page at once by who answers a challenge', async () => {
    const email = await colleague();
    const browser = createBrowser(idp);
    const login = await browser.open('/login');
    await browser.submit(login, '/login', { email, password: PASSWORD }, from('203.0.113.9'));
    const change = (page: Page, more: FormFields = {}) => {
      const fields = { current: PASSWORD, password: 'a sentence that is only mine', ...more };
      return browser.submit(page, '/account/password', fields, from(OFFICE));
    };
    await keepTrying();
    const refused = await change(await browser.open('/account'));
    assert.equal(refused.status, 429);
    assert.match(
      refused.html,
      /<form method="post" action="\/account\/password" data-challenge="[^"]+" data-bits="\d+">/,
    );
    const answer = answerOf(hiddenFields(refused, '/account/password'));
    await keepTrying();
    assert.equal((await change(refused, { answer })).location, '/account?notice=password');
  });

  it('do not slow down another address', async () => {
    assert.equal((await logIn(await colleague(), PASSWORD, {}, '203.0.113.9')).status, 303);
  });

  it('leave the limit of each account as it is, answers or not', async () => {
    const email = await colleague();
    const { account } = LOGIN_LIMITS;
    for (let time = 0; time < account.failures; time += 1) await logIn(email, 'wrong', {}, `198.51.100.${time}`);
    const form = await refusedForm();
    const more = { challenge: form.challenge ?? '', answer: answerOf(form) };
    assert.equal((await logIn(email, PASSWORD, more)).status, 429);
  });
});
