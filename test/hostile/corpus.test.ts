import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ErrorCode } from '../../domain/errors.ts';
import { visit } from '../e2e/harness.ts';
import { containersOf } from '../e2e/sample-service.ts';
import { playedOf } from '../support/is-played.ts';
import { ARCHIVES } from './archives.ts';
import { type Attacker, archiveOf, createAttacker, type Outcome } from './attacker.ts';
import { CATALOGS } from './catalogs.ts';
import { FOREIGN_SOURCES, HIDDEN_INSTRUCTIONS } from './container-files.ts';
import { type HostileStack, startHostileStack } from './hostile-stack.ts';
import { describeInside } from './inside.ts';
import { createInvariants, type Invariants, PLACES } from './invariants.ts';
import { deployLeaky, describeLeakyApp, type LeakyDeploy } from './leaky-app.ts';
import { ADDRESSES, INNER_HOSTS, REPOSITORIES } from './repositories.ts';
import { deployVictim, type Victim } from './victim.ts';

/**
 * A member of another org against the whole embedded stack: each row of the tables beside this file is attempted by the API,
 * with a token of theirs. Whatever becomes of a row, the invariants hold after it.
 */
describe('the platform against a member who means harm', { timeout: 500_000 }, () => {
  let h: HostileStack;
  let victim: Victim;
  let attacker: Attacker;
  let invariants: Invariants;
  /** Deployed beside the rest. */
  let leaky: Promise<LeakyDeploy>;

  before(async () => {
    h = await startHostileStack();
    victim = await deployVictim();
    attacker = createAttacker(h);
    leaky = deployLeaky(h, attacker);
    leaky.catch(() => undefined);
    invariants = await createInvariants({ h, victim, attacker });
  });
  after(() => h[Symbol.asyncDispose]());

  /** Puts in what is known only when the stack runs. */
  const fill = (text: string, service: string): string =>
    text
      .replaceAll('{registry}', registryOf(victim))
      .replaceAll('{victim}', victim.image)
      .replaceAll('{victimByNumber}', victim.image.replace('localhost', '127.0.0.1'))
      .replaceAll('{victimId}', victim.imageId.slice('sha256:'.length, 'sha256:'.length + 12))
      .replaceAll('{victimName}', victim.name)
      .replaceAll('{url}', `${h.stack.addresses.api}/health`)
      .replaceAll('{name}', service);

  async function assertRefused(service: string, { build }: Outcome, code: ErrorCode, step: string): Promise<string> {
    assert.equal(build.status, 'failed');
    assert.deepEqual([build.failure?.code, build.failure?.step], [code, step], build.failure?.message);
    assert.deepEqual(await containersOf(build.id), []);
    assert.equal((await visit(service)).status, 404);
    await invariants.check();
    return build.failure?.message ?? '';
  }

  describe('container files', { concurrency: 4 }, () => {
    for (const { name, text, message } of playedOf([...FOREIGN_SOURCES, ...HIDDEN_INSTRUCTIONS])) {
      it(`${name}: refused, with its line`, async () => {
        const service = await attacker.newService();
        const archive = await archiveOf({ Dockerfile: fill(text, service) });
        const outcome = await attacker.outcome(await attacker.upload(service, archive));
        const said = await assertRefused(service, outcome, 'CONTAINER_FILE_INVALID', 'container-file');
        assert.match(said.replace(/^Dockerfile:/, ''), message);
      });
    }
  });

  describe('catalogs', { concurrency: 4 }, () => {
    for (const { name, file = 'catalog-info.yaml', text, code, message } of playedOf(CATALOGS)) {
      it(`${name}: refused`, async () => {
        const service = await attacker.newService();
        const archive = await archiveOf({ [file]: fill(text, service) });
        const outcome = await attacker.outcome(await attacker.upload(service, archive));
        assert.match(await assertRefused(service, outcome, code, 'catalog'), message);
      });
    }
  });

  describe('archives', { concurrency: 4 }, () => {
    for (const { name, entries, damage, code, message } of playedOf(ARCHIVES)) {
      it(`${name}: refused`, async () => {
        const service = await attacker.newService();
        const archive = await archiveOf({}, entries);
        const outcome = await attacker.outcome(await attacker.upload(service, damage?.(archive) ?? archive));
        assert.match(await assertRefused(service, outcome, code, 'source'), message);
      });
    }
  });

  describe('repositories', { concurrency: 4 }, () => {
    for (const { name, make, service: fields, code, message } of playedOf(REPOSITORIES)) {
      it(`${name}: refused`, async () => {
        const gitUrl = await attacker.publish((tree) => make(tree, h));
        const service = await attacker.newService({ gitUrl, branch: 'main', ...fields });
        const outcome = await attacker.outcome(await attacker.trigger(service));
        const step = outcome.build.failure?.step ?? '';
        assert.match(step, /^(source|catalog|container-file)$/);
        assert.match(await assertRefused(service, outcome, code, step), message);
      });
    }

    it('addresses of this machine, and what git would take for an option: refused when they are given', async () => {
      for (const gitUrl of ADDRESSES) {
        const { status, error } = await attacker.call('POST', '/services', { name: 'h-address', gitUrl });
        assert.equal(status, 400, gitUrl);
        assert.match(error?.code ?? '', /^(SOURCE_REFUSED|VALIDATION_FAILED)$/, gitUrl);
      }
      assert.equal((await attacker.call('GET', '/services/h-address')).status, 404);
      await invariants.check();
    });

    it('addresses of inner hosts: refused when they are built', async () => {
      for (const gitUrl of INNER_HOSTS) {
        const service = await attacker.newService({ gitUrl });
        const outcome = await attacker.outcome(await attacker.trigger(service));
        assert.match(await assertRefused(service, outcome, 'SOURCE_REFUSED', 'source'), /not on the public internet/);
      }
    });
  });

  describe('from inside', () => describeInside(() => ({ h, victim, attacker, invariants })));

  describeLeakyApp(() => ({ h, leaky }));

  describe('at the end, no planted secret is in', () => {
    for (const [name, look] of Object.entries(PLACES)) {
      it(name, async () => void (await look({ h, victim, attacker })));
    }
  });
});

function registryOf({ image }: Victim): string {
  return image.slice(0, image.indexOf('/'));
}
