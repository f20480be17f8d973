import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createDeliveryNotes } from '../../../api/git-hooks/delivery-notes.ts';
import type { DeliveryNote } from '../../../domain/git-hooks/connection.ts';
import { deliveringTo } from './delivering-to.ts';

const MINUTE_MS = 60_000;

/** Notes with what was written of them, in order; writes fail while `away`. */
function notesOn() {
  const on = { ms: 1_000, away: false, written: [] as [string, DeliveryNote][] };
  const notes = createDeliveryNotes({
    now: () => new Date(on.ms),
    gitConnections: {
      async noteDeliveries(id, note) {
        if (on.away) throw new Error('away');
        on.written.push([id, note]);
      },
    },
  });
  const minuteLater = async () => {
    await setImmediate();
    on.ms += MINUTE_MS;
    mock.timers.tick(MINUTE_MS);
    await setImmediate();
  };
  return { ...notes, on, minuteLater };
}

const refused = (count: number, ms: number): DeliveryNote => ({
  ...{ lastDeliveryAt: null, refusedDeliveries: count, lastRefusedAt: new Date(ms) },
});

describe('notes of deliveries', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('are written at once, and then once a minute, however many are refused', async () => {
    const { on, refused: refuse, minuteLater } = notesOn();
    for (let index = 0; index < 1_000; index += 1) refuse('gcn_1');
    await setImmediate();
    assert.deepEqual(on.written, [['gcn_1', refused(1, 1_000)]]);
    await minuteLater();
    assert.deepEqual(on.written[1], ['gcn_1', refused(999, 1_000)]);
    await minuteLater();
    await minuteLater();
    assert.equal(on.written.length, 2, 'where nothing came, nothing is written');
    refuse('gcn_1');
    await setImmediate();
    assert.equal(on.written.length, 3, 'what comes after a quiet minute is noted at once');
  });

  it('count what was refused since the last genuine one, for each connection by itself', async () => {
    const { on, refused: refuse, delivered, minuteLater } = notesOn();
    delivered('gcn_1');
    refuse('gcn_2');
    refuse('gcn_1');
    on.ms = 2_000;
    delivered('gcn_1');
    on.ms = 3_000;
    refuse('gcn_1');
    await minuteLater();
    assert.deepEqual(on.written, [
      ['gcn_1', { lastDeliveryAt: new Date(1_000), refusedDeliveries: 0, lastRefusedAt: null }],
      ['gcn_2', refused(1, 1_000)],
      ['gcn_1', { lastDeliveryAt: new Date(2_000), refusedDeliveries: 1, lastRefusedAt: new Date(3_000) }],
    ]);
  });

  it('that cannot be written are written with the next, a minute later', async () => {
    const { on, refused: refuse, delivered, minuteLater } = notesOn();
    on.away = true;
    delivered('gcn_1');
    await setImmediate();
    refuse('gcn_1');
    await minuteLater();
    refuse('gcn_1');
    on.away = false;
    await minuteLater();
    const last = new Date(1_000 + MINUTE_MS);
    assert.deepEqual(on.written, [
      ['gcn_1', { lastDeliveryAt: new Date(1_000), refusedDeliveries: 2, lastRefusedAt: last }],
    ]);
  });

  it('are of connections that exist alone: a stranger who guesses has nothing written', async () => {
    const to = await deliveringTo();
    to.letReadsEnd();
    const noted: string[] = [];
    to.parts.gitConnections.noteDeliveries = async (id) => void noted.push(id);
    for (let index = 0; index < 20; index += 1) {
      assert.equal(await to.deliver('a guess', { connectionId: `gcn_guessed_${index}` }), 401);
    }
    assert.deepEqual(noted, []);
  });
});
