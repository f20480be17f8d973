import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lookAgain } from '../../../activities/git-hooks/look-again.ts';
import { createGitHooksParts, MAIN } from '../../support/in-memory/git-hooks-parts.ts';

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

it('deliveries that were kept and left are looked at; not those that a look may have still, or of the day before', async () => {
  const parts = createGitHooksParts();
  const { connection } = await parts.connected();
  const left = (minutes: number, changes: object = {}) =>
    parts.delivered(connection.id, { receivedAt: minutesAgo(minutes), ...changes });
  const push = await left(30);
  const all = await left(29, { kind: 'look', ref: null });
  const ping = await left(28, { kind: 'ping', ref: null });
  const other = await left(27, { kind: 'other', ref: null });
  const decided = await left(26);
  await parts.gitDeliveries.decide([decided], []);
  for (const minutes of [5, 25 * 60]) await left(minutes);
  await lookAgain(parts);
  assert.deepEqual(parts.gitHookCommands.asked, [
    `look ${connection.id} ${MAIN} ${push}`,
    `look ${connection.id} all ${all}`,
  ]);
  const reasons = await Promise.all(
    [ping, other].map(async (id) => (await parts.gitDeliveries.find(id))?.outcomes[0]?.reason),
  );
  assert.deepEqual(reasons, ['ping', 'not_a_push']);
});
