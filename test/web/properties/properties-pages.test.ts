import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPersonDirectory } from '../../../adapters/idp/person-directory.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { changeProperty } from '../../../domain/properties/change-property.ts';
import type { PropertyCommands } from '../../../domain/properties/messages.ts';
import type { Property, Verification } from '../../../domain/properties/property.ts';
import { advance } from '../../../domain/properties/verification.ts';
import { withOutcome } from '../../../domain/properties/verify-job.ts';
import { property, SOURCE } from '../../ports/properties/property-store.ts';
import { type ConsoleOnSiteRegistry, startConsoleOnSiteRegistry } from '../../support/console-on-site-registry.ts';
import { createConsolePeople, submitted, verifierOf, wordsOf } from '../../support/console-people.ts';
import { followPage } from '../../support/follow-page.ts';
import { createInMemoryPropertyCommands } from '../../support/in-memory/property-commands.ts';
import { KEY, startIdp } from '../../support/start-idp.ts';
import { startSiteRegistry } from '../../support/start-site-registry.ts';

const AT = new Date('2026-11-01T10:00:00Z');
const TOKEN = 'google-site-verification=abc-DEF_123';

/** A Property whose verification is as these fields say. */
function stated(domain: string, verification: Partial<Verification>, changes: Partial<Property> = {}): Property {
  const bare = property({ domain, ...changes });
  return { ...bare, verification: { ...bare.verification, ...verification } };
}

const LAST_ERROR = { source: 'dns', code: 'RECORD_NOT_SEEN', message: 'ns1 has <b>none</b>' };
const ESTATE: readonly Property[] = [
  stated('cars.com', { state: 'verified', path: 'automatic', token: TOKEN, verifiedAt: AT }, { family: 'cars' }),
  stated('auto.com', {}, { family: 'cars', zone: { automatable: true, checkedAt: AT } }),
  stated('far.com', {}, { family: 'cars', role: 'main' }),
  stated(
    'hand.com',
    { state: 'token-requested', path: 'manual', token: TOKEN, tokenRequestedAt: AT },
    { source: SOURCE },
  ),
  stated(
    'failed.com',
    { state: 'error', path: 'automatic', token: TOKEN, tokenRequestedAt: AT, txtWrittenAt: AT, errorAt: AT },
    { lastError: LAST_ERROR },
  ),
  stated('sold.com', {}, { ignored: { by: 'map', actor: null, reason: 'sold', at: AT } }),
];

describe('the pages of Properties', () => {
  let on: ConsoleOnSiteRegistry;
  const commands: { -readonly [Key in keyof PropertyCommands]: PropertyCommands[Key] } =
    createInMemoryPropertyCommands();
  before(async () => {
    on = await startConsoleOnSiteRegistry({ commands });
    for (const one of ESTATE) await on.site.properties.insert(one);
  });
  after(() => on.stop());
  const words = async (path: string): Promise<string> => wordsOf((await on.root.get(path)).text);

  it('count the estate by family, and name what failed and what waits for a person', async () => {
    const text = await words('/properties');
    assert.match(text, /All 6 all .* Verified 1 verified .* Not verified 4 .*1 by the platform, 3 by hand\. 1 failed/);
    assert.match(text, /cars 3 Properties .*1 2 1 by the platform, 1 by hand 0/);
    assert.match(text, /No family 3 Properties .*0 2 2 by hand, 1 failed 1 1 legacy/);
    assert.match(text, /Wait for a record that you set hand\.com/);
    assert.match(text, /Could not be verified failed\.com ns1 has &lt;b&gt;none/);
    const { text: markup } = await on.root.get('/properties');
    assert.match(markup, /role="img" aria-label="1 verified, 2 not verified"/);
    assert.match(markup, /href="\/properties\/list\?family=cars"/);
  });

  it('list what a filter matches, and lead on by pages', async () => {
    assert.match(await words('/properties/list'), /6 Properties\..*auto\.com.*cars\.com.*sold\.com/);
    const cars = await words('/properties/list?family=cars&role=&status=&source=');
    assert.match(cars, /3 Properties\./);
    assert.doesNotMatch(cars, /sold\.com/);
    assert.match(await words('/properties/list?status=ignored'), /One Property\..*sold\.com/);
    assert.match(await words('/properties/list?source=legacy'), /hand\.com .*Waits for the record/);
    assert.match(await words('/properties/list?family=none'), /Nothing was found/);
    for (let index = 0; index < 60; index += 1) {
      await on.site.properties.insert(property({ domain: `many-${index}.com`, family: 'many' }));
    }
    const { text } = await on.root.get('/properties/list?family=many');
    assert.match(wordsOf(text), /1 to 50 of 60 Properties/);
    const [, next = ''] = /href="([^"]+)" rel="next"/.exec(text) ?? [];
    const last = await on.root.get(next.replaceAll('&amp;', '&'));
    assert.match(wordsOf(last.text), /51 to 60 of 60 Properties/);
    assert.match(last.text, /rel="prev"/);
    assert.doesNotMatch(last.text, /rel="next"/);
  });

  it('show the exact record to set where the nameservers are elsewhere, and ask the search engine once', async () => {
    const { text } = await on.root.get('/properties/hand.com');
    assert.match(wordsOf(text), /Type TXT Name, or host @ or hand\.com/);
    assert.ok(text.includes(`<code class="value">${TOKEN}</code>`));
    assert.match(wordsOf(text), /You set the record : waits for you/);
    commands.check = async () => ({ verified: false, reason: 'the token was not found' });
    const not = wordsOf(await submitted(on.root, '/properties/hand.com', '/properties/hand.com/check'));
    assert.match(not, /Not verified yet: the token was not found/);
    commands.check = async (domain) => {
      await changeProperty(on.site.properties, domain, (one) => advance(one, 'verified', { at: AT }));
      return { verified: true, reason: null };
    };
    const done = await submitted(on.root, '/properties/hand.com', '/properties/hand.com/check');
    assert.match(wordsOf(done), /hand\.com is verified\./);
    assert.doesNotMatch(done, /The record to set/);
  });

  it('show a way of any form: the domain of the Property is meant', async () => {
    assert.match(await words('/properties/www.CARS.com'), /cars\.com Verified/);
    assert.equal((await on.root.get('/properties/none.com')).status, 404);
    assert.equal((await on.root.get('/properties/co.uk')).status, 400);
  });

  it('ask for the record of a domain that no run has begun for, when somebody says so and not before', async () => {
    let asked = 0;
    commands.readRecord = async (domain) => {
      asked += 1;
      await changeProperty(on.site.properties, domain, (one) => ({
        ...one,
        verification: { ...one.verification, token: TOKEN },
        revision: one.revision + 1,
      }));
      return { token: TOKEN };
    };
    assert.match(await words('/properties/far.com'), /Ask for the record/);
    assert.equal(asked, 0);
    const shown = await submitted(on.root, '/properties/far.com', '/properties/far.com/record');
    assert.ok(shown.includes(TOKEN));
    assert.equal(asked, 1);
    assert.doesNotMatch(await words('/properties/auto.com'), /The record to set/, 'the platform writes that one');
  });

  it('say why a verification failed and at which step, and begin it once more', async () => {
    const text = await words('/properties/failed.com');
    assert.match(text, /RECORD_NOT_SEEN : ns1 has &lt;b&gt;none/);
    assert.match(text, /The platform writes the record : done 2026-11-01 10:00:00 UTC/);
    assert.match(text, /The public DNS shows the record, and the search engine is asked : failed/);
    const begun: string[] = [];
    commands.verify = async ({ domain }) => void begun.push(domain);
    assert.match(
      wordsOf(await submitted(on.root, '/properties/failed.com', '/properties/failed.com/verify')),
      /The verification has begun/,
    );
    assert.deepEqual(begun, ['failed.com']);
    commands.verify = async () => {
      throw new FairleadError('VERIFY_IN_PROGRESS', 'A run verifies it already');
    };
    const refused = await submitted(on.root, '/properties/failed.com', '/properties/failed.com/verify');
    assert.match(wordsOf(refused), /A run verifies it already/);
  });

  it('change while a verification runs', async () => {
    const followed = followPage(on.root.address, on.root, '/properties/auto.com');
    await followed.until('status', 1);
    await changeProperty(on.site.properties, 'auto.com', (one) =>
      advance(one, 'token-requested', { at: AT, changes: { token: TOKEN } }),
    );
    await followed.until('status', 2);
    assert.match(wordsOf(followed.of('status').at(-1)?.html ?? ''), /Is being verified/);
    assert.doesNotMatch(followed.of('buttons').at(-1)?.html ?? '', /<form/, 'a run is not begun twice');
    await followed.stop();
  });

  it('ignore a domain for a reason, and take that back', async () => {
    const page = '/properties/failed.com';
    const ignored = wordsOf(await submitted(on.root, page, `${page}/ignore`, { ignored: 'yes', reason: 'parked' }));
    assert.match(ignored, /It is ignored: neither verified nor pulled\. parked/);
    assert.match(ignored, /, by you\./);
    assert.deepEqual((await on.site.properties.find('failed.com'))?.ignored?.actor, 'usr_root');
    await submitted(on.root, page, `${page}/ignore`, { ignored: 'no' });
    assert.equal((await on.site.properties.find('failed.com'))?.ignored, null);
  });

  it('add owners of verified domains alone, and show what was typed where that fails', async () => {
    assert.match(await words('/properties/cars.com'), /Add an owner/);
    assert.doesNotMatch(await words('/properties/failed.com'), /Add an owner/);
    const added = await submitted(on.root, '/properties/cars.com', '/properties/cars.com/owners', {
      email: 'ada@example.com',
    });
    assert.match(wordsOf(added), /ada@example\.com is an owner/);
    const wrong = await submitted(on.root, '/properties/cars.com', '/properties/cars.com/owners', { email: 'ada@' });
    assert.match(wrong, /value="ada@"/);
    assert.match(wrong, /id="email-error"/);
  });

  it('sync the domain map, and tell what was left out', async () => {
    commands.sync = async () => ({
      ...{ added: 2, changed: 1, unchanged: 4, left: 0, ignored: 0 },
      invalid: [{ text: 'shop.example.com', reason: 'it is below an apex' }],
    });
    const text = wordsOf(await submitted(on.root, '/properties', '/properties/sync'));
    assert.match(text, /2 added, 1 changed, 4 as before, 0 left it\. .*shop\.example\.com: it is below an apex/);
    commands.sync = async () => {
      throw new FairleadError('SYNC_IN_PROGRESS', 'A sync of the domain map runs already');
    };
    assert.match(wordsOf(await submitted(on.root, '/properties', '/properties/sync')), /runs already/);
  });

  it('verify all that the platform can, and show what came of each while the job runs', async () => {
    const sent = await on.root.submit('/properties', '/properties/verify');
    const page = sent.headers.get('location') ?? '';
    assert.match(page, /^\/properties\/jobs\/job_/);
    const id = page.split('/').at(-1) ?? '';
    const job = await on.site.jobs.find(id);
    assert.ok(job);
    const followed = followPage(on.root.address, on.root, page);
    await followed.until('job', 1);
    assert.match(await words(page), /Runs Begun .*, by you .*0 of \d+ done/);
    for (const domain of job.domains) {
      const outcome = { domain, outcome: 'skipped', message: 'Another run verifies it', at: AT } as const;
      assert.ok(withOutcome(job, outcome));
      await on.site.jobs.recordOutcome(id, outcome);
    }
    await followed.until('job', 2);
    await followed.stop();
    assert.match(await words(page), /Done Begun .*auto\.com Skipped Another run verifies it/);
    assert.equal((await on.root.get('/properties/jobs/job_none')).status, 404);
  });

  it('say that the list of those that wait for a person is not whole, where there are too many to look at', async () => {
    for (let index = 0; index < 205; index += 1) {
      await on.site.properties.insert(property({ domain: `0-${index}.com`, family: 'many' }));
    }
    const text = await words('/properties');
    assert.match(text, /Wait for a record that you set None of the first 200 that are not verified\. See all 2\d\d/);
  });

  it('are for super admins alone, each page and each form', async () => {
    assert.doesNotMatch((await on.ann.get('/orgs')).text, /href="\/properties"/);
    for (const page of ['', '/list', '/cars.com', '/jobs/job_1']) {
      assert.equal((await on.ann.get(`/properties${page}`)).status, 403, page);
    }
    for (const form of [
      '/sync',
      '/verify',
      '/cars.com/verify',
      '/cars.com/check',
      '/cars.com/record',
      '/cars.com/ignore',
    ]) {
      assert.equal((await on.ann.submit('/orgs', `/properties${form}`)).status, 403, form);
    }
    const body = new URLSearchParams({ ignored: 'yes' });
    const init = { method: 'POST', headers: { origin: on.root.address }, body };
    assert.equal((await on.root.request('/properties/cars.com/ignore', init)).status, 403, 'without its token');
    assert.equal((await on.site.properties.find('cars.com'))?.ignored, null);
  });
});

describe('the pages of Properties, with tokens of the real provider', () => {
  const stack = new AsyncDisposableStack();
  after(() => stack.disposeAsync());

  it('are shown to a super admin, and to nobody else', async () => {
    const idp = stack.adopt(await startIdp(), ({ stop }) => stop());
    const verifier = stack.adopt(verifierOf(idp, 'site-registry'), ({ close }) => close());
    const directory = createPersonDirectory({ url: idp.issuer, internalKey: KEY });
    const tokens = { verifier, people: directory, issuer: idp.issuer };
    const site = stack.adopt(await startSiteRegistry({}, tokens), ({ stop }) => stop());
    const people = stack.adopt(createConsolePeople(idp, { 'site-registry': site.address }), ({ stop }) => stop());
    await site.properties.insert(property({ domain: 'cars.com' }));
    const root = await idp.seedUser('root@platform.example', { platformRoles: ['super_admin'] });
    const { status, text } = await (await people.browserOf(root)).get('/properties/list');
    assert.equal(status, 200);
    assert.match(text, /cars\.com/);
    const ann = await people.browserOf(await idp.seedUser('ann@acme.example'));
    assert.equal((await ann.get('/properties')).status, 403);
  });
});
