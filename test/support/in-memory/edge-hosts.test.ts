import { edgeHostsSuite } from '../../ports/edge-hosts.ts';
import { createInMemoryEdgeHosts } from './edge-hosts.ts';

edgeHostsSuite(async () => createInMemoryEdgeHosts());
