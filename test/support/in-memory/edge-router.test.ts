import { edgeRouterSuite } from '../../ports/edge-router.ts';
import { createInMemoryEdgeRouter } from './edge-router.ts';
import { createInMemoryNetwork } from './network.ts';

const network = createInMemoryNetwork();
const router = createInMemoryEdgeRouter({ network });

edgeRouterSuite(() => ({
  router,
  async serve(commit) {
    const body = JSON.stringify({ commit });
    const address = network.listen((path) => ({ status: path === '/health' ? 200 : 503, body }));
    return { target: { workloadId: `at ${address}`, address }, stop: async () => network.close(address) };
  },
}));
