import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { ANCHORER } from '../../support/start-anvil.ts';
import { type Meddle, type RpcProxy, startRpcProxy } from './rpc-proxy.ts';
import { NEVER, useAnchoring } from './use-anchoring.ts';

/** Blocks that a development chain is ahead of its last final one. */
const UNTIL_FINAL = '0x60';
const waitsFor = (reason: RegExp, retryable = false) => ({ code: 'CHAIN_UNREACHABLE', message: reason, retryable });

describe('when an anchor is believed', { timeout: 300_000 }, () => {
  const { parts, batch, anchoring, sent, rootOn } = useAnchoring();
  let second: RpcProxy;
  let third: RpcProxy;
  before(async () => {
    [second, third] = await Promise.all([startRpcProxy(parts.chain.rpcUrl), startRpcProxy(parts.chain.rpcUrl)]);
  });
  after(() => Promise.all([second.stop(), third.stop()]));
  beforeEach(() => {
    for (const proxy of [second, third]) proxy.meddle = (_call, ask) => ask();
  });

  it('an anchor counts once its block is final, however many confirmations it has', async () => {
    const given = batch();
    const changes = { finality: 'finalized', confirmations: 1, attemptMs: 5_000 } as const;
    await assert.rejects(anchoring(changes).anchor(given, NEVER), waitsFor(/is not final yet/));
    assert.equal(await rootOn(given.id), given.root, 'it is mined');
    await parts.chain.rpc('anvil_mine', UNTIL_FINAL);
    const anchor = await anchoring(changes).anchor(given, NEVER);
    const final = await parts.chain.provider.getBlock('finalized');
    assert.ok(final !== null && anchor.blockNumber <= final.number);
    assert.equal(sent().length, 1);
  });

  for (const answer of [{ error: { message: 'unknown block tag' } }, { result: null }]) {
    it(`a chain without final blocks is believed after its confirmations (${JSON.stringify(answer)})`, async () => {
      parts.proxy.meddle = async (call, ask) => (call.params[0] === 'finalized' ? answer : ask());
      const given = batch();
      const changes = { finality: 'finalized', confirmations: 2, attemptMs: 5_000 } as const;
      await assert.rejects(anchoring(changes).anchor(given, NEVER), waitsFor(/not final yet/));
      await parts.chain.rpc('evm_mine');
      await anchoring(changes).anchor(given, NEVER);
    });
  }

  it('an account without money waits for the next hour', async () => {
    const given = batch();
    const balance = await parts.chain.rpc('eth_getBalance', ANCHORER.address, 'latest');
    await parts.chain.rpc('anvil_setBalance', ANCHORER.address, '0x0');
    await assert.rejects(anchoring().anchor(given, NEVER), waitsFor(/insufficient funds.*anchoring waits/i));
    await parts.chain.rpc('anvil_setBalance', ANCHORER.address, balance);
    await anchoring().anchor(given, NEVER);
    assert.equal(await rootOn(given.id), given.root);
  });

  it('a node that does not have the contract or its state yet waits for the next hour', async () => {
    const lags: readonly [RegExp, boolean, Meddle][] = [
      [/knows no contract/, false, async ({ method }, ask) => (method === 'eth_getCode' ? { result: '0x' } : ask())],
      [/empty answer/, true, async ({ method }, ask) => (method === 'eth_call' ? { result: '0x' } : ask())],
      [
        /header not found/,
        true,
        async ({ method }, ask) => (method === 'eth_estimateGas' ? { error: { message: 'header not found' } } : ask()),
      ],
    ];
    for (const [reason, retryable, meddle] of lags) {
      parts.proxy.meddle = meddle;
      await assert.rejects(anchoring().anchor(batch(), NEVER), waitsFor(reason, retryable));
    }
  });

  it('nodes of one chain must agree: a root that one of two invents is not believed, and not refused', async () => {
    const given = batch();
    const rpcUrls = [parts.proxy.url, second.url];
    const invented = `${given.root}${'00'.repeat(31)}01${'00'.repeat(31)}01${'00'.repeat(32)}`;
    for (const liar of [parts.proxy, second]) {
      liar.meddle = async (call, ask) => (call.method === 'eth_call' ? { result: invented } : ask());
      await assert.rejects(anchoring({ rpcUrls }).anchor(given, NEVER), waitsFor(/the nodes do not agree/, true));
      liar.meddle = (_call, ask) => ask();
    }
    assert.equal(sent().length, 0);
    await anchoring({ rpcUrls }).anchor(given, NEVER);
    assert.equal(await rootOn(given.id), given.root);
  });

  it('more than half of the nodes must answer: one of three may be away, and one of two may not', async () => {
    const given = batch();
    third.meddle = async () => 'status 503';
    second.meddle = async () => 'status 503';
    for (const rpcUrls of [
      [parts.proxy.url, second.url],
      [parts.proxy.url, second.url, third.url],
    ]) {
      await assert.rejects(anchoring({ rpcUrls }).anchor(given, NEVER), waitsFor(/nodes do not answer/, true));
    }
    second.meddle = (_call, ask) => ask();
    await anchoring({ rpcUrls: [parts.proxy.url, second.url, third.url] }).anchor(given, NEVER);
    assert.equal(await rootOn(given.id), given.root);
  });

  it('a node that lags behind another is waited for', async () => {
    const given = batch();
    let late = 3;
    second.meddle = async ({ method, params }, ask) =>
      method === 'eth_getBlockByNumber' && params[0] !== 'latest' && late-- > 0 ? { result: null } : ask();
    await anchoring({ rpcUrls: [parts.proxy.url, second.url] }).anchor(given, NEVER);
    assert.ok(late < 0);
  });
});
