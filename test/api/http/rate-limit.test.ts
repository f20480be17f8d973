import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import express from 'express';
import { expressMessages } from '../../../api/http/express-messages.ts';
import { createNamedRateLimit, createRateLimit, type NamedLimits } from '../../../api/http/rate-limit.ts';
import { type RunningService, startServer } from '../../../api/http/server.ts';

const PROXY = '127.0.0.1';

let server: RunningService;

before(async () => {
  const app = express();
  app.set('trust proxy', [PROXY]);
  app.use(createRateLimit(2));
  app.get('/', (request, response) => {
    response.json({ ip: request.ip });
  });
  app.use((_error: unknown, _request: unknown, response: express.Response, _next: unknown) => {
    response.status(429).end();
  });
  server = await startServer(app, { host: PROXY, port: 0, stopping: new AbortController(), graceMs: 1_000 });
});
after(() => server.stop());

const ask = async (address: string): Promise<number> =>
  (await fetch(server.address, { headers: { 'x-forwarded-for': address } })).status;

it('counts an IPv4 address by itself', async () => {
  assert.deepEqual([await ask('192.0.2.1'), await ask('192.0.2.1'), await ask('192.0.2.1')], [200, 200, 429]);
  assert.equal(await ask('192.0.2.2'), 200);
});

it('counts a network of 56 bits of IPv6 as one, since one customer has all of it', async () => {
  assert.deepEqual([await ask('2001:db8:0:aa01::1'), await ask('2001:db8:0:aa02::2')], [200, 200]);
  assert.equal(await ask('2001:db8:0:aaff:1234::3'), 429);
  assert.equal(await ask('2001:db8:0:bb00::1'), 200);
});

/** `/named` with a limit of 3 for each name, 2 of them costly, and 4 look-ups; `/` and who has no name: 2 by address. */
async function startNamed() {
  const app = express();
  const byAddress = createRateLimit(2);
  const lookUps: string[] = [];
  const limits: NamedLimits = {
    ...{ perMinute: 3, lookUpsPerMinute: 4 },
    costly: { perMinute: 2, is: ({ query }) => query.whole !== undefined },
    credentialOf: ({ headers }) => String(headers.name),
    nameOf: async ({ headers }) => {
      lookUps.push(String(headers.name));
      return /^(ann|bob)$/.exec(String(headers.name))?.[0] ?? null;
    },
  };
  app.get('/named', createNamedRateLimit(limits, byAddress), (_request, response) => void response.end());
  app.use(byAddress);
  app.get('/', (_request, response) => void response.end());
  app.use((_error: unknown, _request: unknown, response: express.Response, _next: unknown) => {
    response.status(429).end();
  });
  const own = await startServer(app, { host: PROXY, port: 0, stopping: new AbortController(), graceMs: 1_000 });
  const statuses = async (path: string, name: string, times: number): Promise<number[]> => {
    const found: number[] = [];
    for (let time = 0; time < times; time += 1)
      found.push((await fetch(own.address + path, { headers: { name } })).status);
    return found;
  };
  return { lookUps, statuses, stop: own.stop };
}

it('counts who proves to be somebody under their own name, and others by address with all other requests', async () => {
  const { statuses, stop } = await startNamed();
  try {
    assert.deepEqual(await statuses('/', '', 3), [200, 200, 429]);
    assert.deepEqual(await statuses('/named', 'nobody', 1), [429]);
    assert.deepEqual(await statuses('/named', 'ann', 4), [200, 200, 200, 429]);
    assert.deepEqual(await statuses('/named', 'bob', 1), [200]);
  } finally {
    await stop();
  }
});

it('looks nobody up any more for an address that asked as many names, and knows on who proved theirs', async () => {
  const { lookUps, statuses, stop } = await startNamed();
  try {
    assert.deepEqual(await statuses('/named', 'ann', 1), [200]);
    for (let name = 0; name < 10; name += 1) await statuses('/named', `made-up-${name}`, 1);
    assert.deepEqual(lookUps, ['ann', 'made-up-0', 'made-up-1', 'made-up-2']);
    assert.deepEqual(await statuses('/named', 'ann', 1), [200]);
  } finally {
    await stop();
  }
});

it('counts what costs much by itself as well', async () => {
  const { statuses, stop } = await startNamed();
  try {
    assert.deepEqual(await statuses('/named?whole', 'ann', 3), [200, 200, 429]);
    assert.deepEqual(await statuses('/named?whole', 'bob', 1), [200]);
    assert.deepEqual(await statuses('/named', 'bob', 1), [200]);
  } finally {
    await stop();
  }
});

it('messages are made as those of the app, so that Express need not change them', () => {
  const app = express();
  const { IncomingMessage: Request, ServerResponse: Response } = expressMessages(app);
  assert.equal(Request?.prototype, app.request);
  assert.equal(Response?.prototype, app.response);
  assert.deepEqual(
    expressMessages(() => undefined),
    {},
  );
});
