import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createAnchoringActivities } from '../../activities/audit-ledger/anchoring.ts';
import { createAnchorChain } from '../../adapters/chain/anchor-chain.ts';
import { createEnvSigner } from '../../adapters/chain/env-signer.ts';
import { createTreeBuilder } from '../../adapters/merkle/tree-builder.ts';
import { idOfKey } from '../../adapters/mongo/audit-ledger/event-id.ts';
import { createPendingAnchorStore } from '../../adapters/mongo/audit-ledger/pending-anchors.ts';
import { signCheckpoint, verifierKey } from '../../domain/audit-ledger/checkpoint.ts';
import { addDays, dayOf, startOfDay } from '../../domain/audit-ledger/days.ts';
import type { Receipt } from '../../domain/audit-ledger/receipt.ts';
import { SILENT } from '../activities/audit-ledger/use-ledger-day.ts';
import { ANCHORER, startAnvil, type TestChain } from '../support/start-anvil.ts';
import { KEY } from '../support/start-ledger.ts';
import { startTokenLedger, type TokenLedger } from '../support/start-token-ledger.ts';
import { readPage } from './read-page.ts';
import { runPage } from './run-page.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOCS = join(ROOT, 'docs');
const PAGE = 'audit-ledger.md';
const YESTERDAY = addDays(dayOf(new Date()), -1);

/** The page on a real ledger and provider, with yesterday anchored on two real chains. */
describe('docs/audit-ledger.md', { timeout: 180_000 }, () => {
  const clock = { now: new Date(`${YESTERDAY}T09:14:02.000Z`) };
  let parts: TokenLedger;
  let chains: readonly TestChain[];
  let bin: string;
  before(async () => {
    bin = await mkdtemp(join(tmpdir(), 'fairlead-docs-bin-'));
    await symlink(join(ROOT, 'cli/fairlead.mjs'), join(bin, 'fairlead'));
    [parts, ...chains] = await Promise.all([
      startTokenLedger({ now: () => clock.now }),
      startAnvil(31_337),
      startAnvil(31_338),
    ]);
    await parts.idp.seedOrg('acme');
  });
  after(async () => {
    await Promise.all(chains.map((chain) => chain.stop()));
    await parts.stop();
    await rm(bin, { recursive: true });
  });

  it('does what it says, line by line', async () => {
    const { eventId, receipt } = await deployedYesterday();
    await writeFile(join(bin, 'receipt.json'), JSON.stringify(receipt));
    const { signer, settings } = parts.ledger;
    const head = { namespace: 'builder', size: 1, head: receipt.eventHash, time: clock.now };
    const checkpoint = await signCheckpoint(head, settings.ledgerName, signer);
    await writeFile(join(bin, 'checkpoint.json'), JSON.stringify(checkpoint));
    await anchorYesterday();
    const { secret } = await parts.idp.seedClient('shop-prod', { orgSlug: 'acme', allowedScopes: ['septor:query'] });
    const steps = readPage(await readFile(join(DOCS, PAGE), 'utf8'));
    assert.ok(steps.length > 0, 'the page shows something to run');
    const [one, two] = chains;
    assert.ok(one && two);
    const variables = {
      PATH: `${bin}:${join(ROOT, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
      // No builder is there: the ledger's commands need none.
      ...{ FAIRLEAD_URL: 'http://127.0.0.1:1', FAIRLEAD_KEY: KEY, FAIRLEAD_AUDIT_URL: parts.ledger.address },
      ...{ AUDIT_URL: parts.ledger.address, IDP_URL: parts.idp.issuer },
      ...{ IDP_CLIENT_ID: 'shop-prod', IDP_CLIENT_SECRET: secret },
      ...{ EVENT_ID: eventId, CONTRACT: one.contract, DAY: YESTERDAY },
      ...{ RECEIPT: join(bin, 'receipt.json'), CHECKPOINT: join(bin, 'checkpoint.json') },
      LEDGER_KEY: signer.keys.map((key) => verifierKey(settings.ledgerName, key))[0] ?? '',
      ...{ NODE_OF_CHAIN_ONE: one.rpcUrl, NODE_OF_CHAIN_TWO: two.rpcUrl },
    };
    await runPage(PAGE, steps, { preamble: '', variables });
  });

  it('runs every line that asks the ledger, and its links lead somewhere', async () => {
    for (const page of [PAGE, 'threat-model.md']) {
      const text = await readFile(join(DOCS, page), 'utf8');
      const blocks = readPage(text).map(({ shell }) => shell);
      for (const line of text.split('\n').filter((one) => /^(?:npx )?(?:curl|fairlead) /.test(one))) {
        assert.ok(
          blocks.some((shell) => shell.includes(line)),
          `${page} does not run: ${line}`,
        );
      }
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
        await readFile(join(dirname(join(DOCS, page)), target)).catch(() => assert.fail(`${page} links to ${target}`));
      }
    }
  });

  /** As the builder's worker tells of a deploy. */
  async function deployedYesterday(): Promise<{ eventId: string; receipt: Receipt }> {
    const about = { eventType: 'service.deployed', entityId: 'shop', namespace: 'builder', orgSlug: 'acme' };
    const event = { ...about, data: { buildId: 'bld_1' }, metadata: { actor: 'usr_1' } };
    const { status, body } = await parts.ledger.call('platform', 'POST', '/v1/events/emit', event);
    assert.equal(status, 201);
    return body.data;
  }

  /** What the night's workflow does, and then it is today. */
  async function anchorYesterday(): Promise<void> {
    clock.now = new Date(startOfDay(addDays(YESTERDAY, 1)).getTime() + 10 * 60_000);
    const { night, db } = parts.ledger;
    const now = () => clock.now;
    const chainDeps = {
      signer: createEnvSigner(Buffer.from(ANCHORER.privateKey.slice(2), 'hex')),
      pending: createPendingAnchorStore({ db }),
      now: () => new Date(),
      feeCapWei: 500n * 10n ** 9n,
      timing: { pollMs: 20, attemptMs: 5_000 },
    };
    const anchors = chains.map(({ chainId, rpcUrl, contract }) =>
      createAnchorChain(
        { chainId, rpcUrls: [rpcUrl], contract, finality: 'confirmations', confirmations: 1, explorerUrl: null },
        chainDeps,
      ),
    );
    const deps = { ...night, trees: createTreeBuilder(), chains: anchors, idOfKey, now };
    const { batchDay, anchorBatch } = createAnchoringActivities({ ...deps, platformOrg: 'platform' });
    const worker = new MockActivityEnvironment({}, { logger: SILENT });
    await worker.run(batchDay, YESTERDAY);
    for (const { chainId } of chains) await worker.run(anchorBatch, { day: YESTERDAY, chainId });
    clock.now = new Date(Math.max(Date.now(), clock.now.getTime()));
  }
});
