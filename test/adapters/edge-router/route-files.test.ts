import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createEdgeRouter } from '../../../adapters/edge-router/route-files.ts';
import { edgeRouterSuite } from '../../ports/edge-router.ts';
import { type EdgeFixture, makeEdgeFixture } from './edge-fixture.ts';

/** The router's files, and the router itself, which answers for them. */
let fx: EdgeFixture;
before(async () => {
  fx = await makeEdgeFixture();
});
after(() => fx.end());

let workloads = 0;

edgeRouterSuite(() => ({
  router: fx.router,
  async serve(commit) {
    workloads += 1;
    const { server, address } = await fx.upstream((request, response) => {
      response.statusCode = request.url === '/health' ? 200 : 503;
      response.end(JSON.stringify({ commit }));
    });
    return {
      target: { workloadId: `workload-${workloads}`, address },
      async stop() {
        server.close();
        server.closeAllConnections();
      },
    };
  },
}));

it('asks a router of another machine for the health of a service, by the public name of that', async () => {
  const asked: string[] = [];
  const elsewhere = await fx.upstream((request, response) => {
    asked.push(`${request.headers.host} ${request.url}`);
    response.end();
  });
  const router = createEdgeRouter({
    ...{ routesDirectory: fx.directory, domain: 'apps.example.com', port: 80, innerUrl: elsewhere.address },
  });
  const { ok, summary } = await router.probe('shop', 'prod', '/health', AbortSignal.timeout(10_000));
  assert.deepEqual([ok, asked], [true, ['shop.prod.apps.example.com /health']]);
  assert.match(summary, /http:\/\/shop\.prod\.apps\.example\.com\/health/);
});
