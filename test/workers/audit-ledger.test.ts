import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { readSection, readWorkerEnv } from '../../adapters/env.ts';
import { createLogger } from '../../adapters/logging/logger.ts';
import { createTemporalClient } from '../../adapters/temporal/client.ts';
import { auditLedger } from '../../workers/audit-ledger.ts';

const SIGNER = { AUDIT_SIGNER_KEY: '07'.repeat(32) };
const chainsOf = (...chainIds: readonly number[]) => {
  const rows = chainIds.map((chainId) => {
    return { chainId, rpcUrl: 'https://node.example', contract: `0x${'12'.repeat(20)}` };
  });
  return { AUDIT_CHAINS: JSON.stringify(rows) };
};

describe('the worker of the audit ledger', () => {
  const opened = new AsyncDisposableStack();
  after(() => opened.disposeAsync());

  /** Composes it up to where it opens the database of the ledger. */
  async function compose(auditUrl: string, variables: Readonly<Record<string, string>>): Promise<void> {
    const client = createTemporalClient({ address: '127.0.0.1:9', namespace: 'default', identity: 'test' });
    opened.defer(() => client.connection.close());
    await auditLedger.compose({
      env: readSection(auditLedger.section, { AUDIT_SIGNING_KEY: '05'.repeat(32), ...variables }),
      settings: readWorkerEnv({ AUDIT_URL: auditUrl }),
      connect: () => Promise.reject(new Error('it goes on to the database')),
      client,
      logger: createLogger({ name: 'test', level: 'silent' }),
      opened,
      metrics: null,
      subprocessEnv: {},
    });
  }

  it('refuses fewer than two chains where the ledger has an https address, before it opens anything', async () => {
    for (const [variables, message] of [
      [{}, /AUDIT_CHAINS names no chain/],
      [{ ...chainsOf(1), ...SIGNER }, /AUDIT_CHAINS names one chain/],
    ] as const) {
      await assert.rejects(compose('https://audit.example.org', variables), { code: 'VALIDATION_FAILED', message });
      await assert.rejects(compose('http://localhost:3005', variables), /it goes on to the database/);
    }
    await assert.rejects(
      compose('https://audit.example.org', { ...chainsOf(1, 137), ...SIGNER }),
      /it goes on to the database/,
    );
  });

  it('refuses chains without the key of the account that anchors', async () => {
    await assert.rejects(compose('https://audit.example.org', chainsOf(1, 137)), {
      code: 'VALIDATION_FAILED',
      message: /AUDIT_SIGNER_KEY/,
    });
  });
});
