import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pullProperty } from '../../activities/search-pulls/pull-property.ts';
import { createDomainMapSource } from '../../adapters/domain-map/domain-map-source.ts';
import { propertiesWorkerSection } from '../../adapters/env/properties.ts';
import { searchPullsWorkerSection } from '../../adapters/env/search-pulls.ts';
import { createClientAdministration } from '../../adapters/idp/client-administration.ts';
import { createPersonDirectory } from '../../adapters/idp/person-directory.ts';
import { VERIFICATION_STATES } from '../../domain/properties/property.ts';
import { VERIFY_OUTCOMES } from '../../domain/properties/verify-job.ts';
import { verifierOf } from '../support/console-people.ts';
import { createInMemoryPullCommands } from '../support/in-memory/search-pull-commands.ts';
import { createSearchPullsParts } from '../support/in-memory/search-pulls-parts.ts';
import { startApi } from '../support/start-api.ts';
import { KEY, startIdp } from '../support/start-idp.ts';
import { startSiteRegistry } from '../support/start-site-registry.ts';
import { startVerifications } from '../workflows/properties/harness.ts';
import { readPage } from './read-page.ts';
import { runPage } from './run-page.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOCS = join(ROOT, 'docs');
const [PAGE, NUMBERS] = ['site-registry.md', 'search-numbers.md'];
const CLIENT = 'portal-prod';

const read = (page: string): Promise<string> => readFile(join(DOCS, page), 'utf8');

/** The pages on a real provider, builder and site registry, with the real workflows, and vendors in memory. */
describe('docs/site-registry.md and docs/search-numbers.md', { timeout: 590_000 }, () => {
  const stack = new AsyncDisposableStack();
  let variables: Readonly<Record<string, string>>;
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-docs-sites-'));
    stack.defer(() => rm(folder, { recursive: true }));
    await symlink(join(ROOT, 'cli/fairlead.mjs'), join(folder, 'fairlead'));
    const [, map = ''] = /```yaml\n([\s\S]*?)```/.exec(await read(PAGE)) ?? [];
    const location = join(folder, 'domains.yaml');
    await writeFile(location, map);

    const run = stack.adopt(
      await startVerifications({ map: createDomainMapSource({ location, token: null }) }),
      ({ stop }) => stop(),
    );
    run.dns.addZone('example.com');
    // The record that a person sets, as the page says.
    run.dns.addRecord('example.org', run.search.tokenOf('example.org'));
    const pulls = createSearchPullsParts();
    pulls.add('example.com', { since: '2026-05-01' });
    const pull = (property: string) =>
      pullProperty(pulls.deps, { property, since: pulls.clock.now.toISOString() }, new AbortController().signal);
    await pull('example.com');

    const idp = stack.adopt(await startIdp(), ({ stop }) => stop());
    const verifiers = [verifierOf(idp, 'site-registry'), verifierOf(idp, 'builder')] as const;
    for (const verifier of verifiers) stack.adopt(verifier, ({ close }) => close());
    const { secret } = await idp.seedClient(CLIENT, { allowedScopes: ['openid', 'profile', 'email'] });
    const people = createPersonDirectory({ url: idp.issuer, internalKey: KEY });
    const { rows: searchRows, windows: searchWindows, runs: pullRuns } = pulls.deps;
    const pullCommands = {
      ...createInMemoryPullCommands(),
      pullOne: ({ property }: { property: string }) => pull(property),
    };
    const site = stack.adopt(
      await startSiteRegistry(
        { ...run.deps, commands: run.commands, searchRows, searchWindows, pullRuns, pullCommands },
        { verifier: verifiers[0], people, issuer: idp.issuer },
      ),
      ({ stop }) => stop(),
    );
    const clients = createClientAdministration({ url: idp.issuer, internalKey: KEY });
    const builder = stack.adopt(await startApi({ verifier: verifiers[1], issuer: idp.issuer }, clients), ({ stop }) =>
      stop(),
    );
    variables = {
      PATH: `${folder}:${join(ROOT, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
      ...{ FAIRLEAD_URL: builder.address, FAIRLEAD_KEY: KEY, IDP_URL: idp.issuer },
      ...{ SITE_REGISTRY_URL: site.address, CLIENT_ID: CLIENT, CLIENT_SECRET: secret },
    };
  });
  after(() => stack.disposeAsync());

  it('do what they say, line by line', async () => {
    const [one, two] = [readPage(await read(PAGE)), readPage(await read(NUMBERS))];
    assert.ok(one.length >= 8 && two.length >= 3);
    await runPage(PAGE, one, { preamble: '', variables });
    const preamble = one
      .slice(0, 2)
      .map(({ shell }) => `{\n${shell}} > asked\n`)
      .join('\n');
    await runPage(NUMBERS, two, { preamble, variables });
  });

  it('name every variable of the workers, every state, and every outcome of a job', async () => {
    const [page, numbers] = [await read(PAGE), await read(NUMBERS)];
    const rowOf = (name: string) => new RegExp(`^\\| \`${name}\` +\\|`, 'm');
    // STACK_ID is every process's.
    for (const name of Object.keys(propertiesWorkerSection).filter((one) => one !== 'STACK_ID')) {
      assert.match(page, rowOf(name));
    }
    for (const name of Object.keys(searchPullsWorkerSection)) assert.match(numbers, rowOf(name));
    for (const state of VERIFICATION_STATES.filter((one) => one !== 'unverified')) assert.match(page, rowOf(state));
    for (const outcome of VERIFY_OUTCOMES) assert.match(page, rowOf(outcome));
  });

  it('link to pages that are there', async () => {
    for (const page of [PAGE, NUMBERS]) {
      for (const [, target = ''] of (await read(page)).matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
        await readFile(join(dirname(join(DOCS, page)), target)).catch(() => assert.fail(`${page} links to ${target}`));
      }
    }
  });
});
