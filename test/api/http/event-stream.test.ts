import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sendEvents } from '../../../api/http/event-stream.ts';

it('lets a caller go who is refused, and keeps silence short, also after the clock was set back', async (t) => {
  const never = new AbortController().signal;
  let asked = 0;
  const stillAllowed = async () => {
    asked += 1;
    return asked < 3;
  };
  const times = { recheckMs: 20, heartbeatMs: 20 };
  const server = createServer((_request, response) => {
    const work = sendEvents(response, { gone: never, stopping: never, stillAllowed, times }, async (events) => {
      t.mock.timers.enable({ apis: ['Date'], now: 0 });
      while (!(await events.refused())) {
        await events.keepAlive();
        await delay(5);
      }
    });
    work.catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(10_000) });
  assert.match(await answer.text(), /: still here/);
  assert.equal(asked, 3);
  server.close();
});
