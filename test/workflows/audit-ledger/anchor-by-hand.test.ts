import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createAnchorCommands } from '../../../adapters/temporal/anchor-commands.ts';
import { createTemporalClient } from '../../../adapters/temporal/client.ts';
import { anchorWorkflowId, type DayOutcome } from '../../../domain/audit-ledger/anchoring-messages.ts';
import { freePort } from '../../support/free-port.ts';
import { type AnchoringTemporal, CHAINS, createAnchoringTemporal, unreachable } from './harness.ts';

const [FIRST, SECOND] = CHAINS;

/** What `POST /v1/batches/:batchId/anchor` has done. */
describe('a day that is anchored by hand', { timeout: 300_000 }, () => {
  let temporal: AnchoringTemporal;
  before(async () => {
    temporal = await createAnchoringTemporal();
  });
  after(() => temporal.stop());

  const outcomeOf = (day: string): Promise<DayOutcome> =>
    temporal.client.workflow.getHandle(anchorWorkflowId(day)).result();

  it('is anchored once, however many ask at once and while it is under way', async () => {
    const commands = createAnchorCommands(temporal.client);
    await Promise.all(Array.from({ length: 5 }, () => commands.anchorDay('2024-03-01')));
    await outcomeOf('2024-03-01');
    const batched = temporal.state.calls.filter((call) => call.endsWith('batch 2024-03-01'));
    assert.equal(batched.length, 1);
  });

  it('reaches the chain that its night missed, when asked again after the last attempt', async () => {
    const commands = createAnchorCommands(temporal.client);
    temporal.state.down = (chainId) => (chainId === SECOND ? unreachable(chainId) : null);
    await commands.anchorDay('2024-03-02');
    const missed = await outcomeOf('2024-03-02');
    assert.deepEqual(
      missed.chains.map(({ chainId, outcome }) => [chainId, outcome]),
      [
        [FIRST, 'anchored'],
        [SECOND, 'missed'],
      ],
    );
    temporal.state.down = () => null;
    await commands.anchorDay('2024-03-02');
    const reached = await outcomeOf('2024-03-02');
    assert.deepEqual(
      reached.chains.map(({ chainId, outcome }) => [chainId, outcome]),
      [
        [FIRST, 'anchored'],
        [SECOND, 'anchored'],
      ],
    );
  });

  it('is refused while Temporal is down, with the advice to try again', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const client = createTemporalClient({ address, namespace: 'default', identity: 'test' });
    try {
      await assert.rejects(createAnchorCommands(client).anchorDay('2024-03-03'), {
        code: 'UNAVAILABLE',
        retryable: true,
      });
    } finally {
      await client.connection.close();
    }
  });
});
