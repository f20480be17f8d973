import { after, before } from 'node:test';
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
