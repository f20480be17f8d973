import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { runCli } from '../../cli/run-cli.ts';
import { type AttackedLedger, DAY, type Scene, startAttackedLedger } from './attacked-ledger.ts';
import { HOLDERS, type Holder, renderWhoFindsOut, type Way, WHO_FINDS_OUT } from './who-finds-out.ts';

describe('who finds out an attack on the ledger', { timeout: 400_000 }, () => {
  let attacked: AttackedLedger;
  before(async () => {
    attacked = await startAttackedLedger();
  });
  after(() => attacked.stop());

  /** Runs a command as somebody without an account. @returns its exit code and what it printed */
  async function run(way: Way, holder: Holder, scene: Scene) {
    const key = ['--key', attacked.key];
    const day = ['verify-day', DAY, ...scene.list, ...attacked.nodes, '--contract', scene.contract];
    const own = holder === 'checkpoint' ? 'checkpoint' : 'receipt';
    const args = {
      'verify-day': day,
      'verify-day --receipt': [...day, '--receipt', scene.receipt, ...key],
      'verify-day --checkpoint': [...day, '--checkpoint', scene.checkpoint, ...key],
      compare: ['compare', scene[own], scene.shown[own], ...key],
    }[way];
    return await runCli({ url: 'http://127.0.0.1:1' }, ['audit', ...args], { env: { FAIRLEAD_KEY: '' } });
  }

  async function assertCell(row: (typeof WHO_FINDS_OUT)[number], holder: Holder, scene: Scene): Promise<void> {
    const cell = row[holder];
    const runs = 'found' in cell ? cell.found.map(([way]) => [way, 1] as const) : cell.although;
    for (const [way, exit] of runs) {
      const { code, stdout, stderr } = await run(way, holder, scene);
      assert.equal(code, exit, `${way} of who holds ${holder}: ${stdout}${stderr}`);
    }
  }

  it('nobody accuses a ledger that did nothing', async () => {
    const scene = await attacked.goodDay();
    for (const way of ['verify-day', 'verify-day --receipt', 'verify-day --checkpoint'] as const) {
      const { code, stdout } = await run(way, 'receipt', scene);
      assert.equal(code, 0, stdout);
    }
    for (const holder of ['receipt', 'checkpoint'] as const) {
      assert.notEqual((await run('compare', holder, scene)).code, 1);
    }
  });

  for (const row of WHO_FINDS_OUT) {
    it(`${row.attack}: as the table says`, async () => {
      for (const attack of row.attacks) {
        const scene = await attacked.carryOut(attack);
        for (const holder of HOLDERS) await assertCell(row, holder, scene);
      }
    });
  }

  it('a batch that was deleted is there again after the next night, and proves its day', async () => {
    const scene = await attacked.carryOut('deleteBatch');
    await attacked.night();
    for (const way of ['verify-day', 'verify-day --receipt', 'verify-day --checkpoint'] as const) {
      assert.equal((await run(way, 'receipt', scene)).code, 0, way);
    }
  });

  it('of a true receipt and a forged one, the day has the true one alone', async () => {
    const scene = await attacked.carryOut('stolenSigner');
    assert.equal((await run('verify-day --receipt', 'receipt', scene)).code, 0);
    const forged = { ...scene, receipt: scene.shown.receipt };
    assert.equal((await run('verify-day --receipt', 'receipt', forged)).code, 1);
  });

  it('the list of a day that somebody kept proves its events after the ledger deleted all', async () => {
    const { list, ...good } = await attacked.goodDay();
    const kept = await attacked.saveList();
    const scene = { ...good, list: ['--leaves', kept] };
    await attacked.deleteAll();
    assert.equal((await run('verify-day --receipt', 'receipt', { ...scene, list })).code, 1);
    assert.equal((await run('verify-day --receipt', 'receipt', scene)).code, 0);
  });

  it('the threat model shows the same table', async () => {
    const page = await readFile(new URL('../../../docs/threat-model.md', import.meta.url), 'utf8');
    assert.ok(
      page.includes(`\n${renderWhoFindsOut()}\n`),
      `put this into docs/threat-model.md:\n\n${renderWhoFindsOut()}`,
    );
  });
});
