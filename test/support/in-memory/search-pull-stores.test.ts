import { searchRowStoreSuite } from '../../ports/search-pulls/row-store.ts';
import { pulledPropertiesSuite, pullRunStoreSuite, searchWindowStoreSuite } from '../../ports/search-pulls/stores.ts';
import {
  createInMemoryPulledProperties,
  createInMemoryPullRuns,
  createInMemorySearchRows,
  createInMemorySearchWindows,
} from './search-pull-stores.ts';

const rows = createInMemorySearchRows();
searchRowStoreSuite(
  () => rows,
  async (property) => rows.partCount(property),
);
const windows = createInMemorySearchWindows();
searchWindowStoreSuite(() => windows);
const runs = createInMemoryPullRuns();
pullRunStoreSuite(() => runs);
const pulled = createInMemoryPulledProperties();
pulledPropertiesSuite(() => pulled);
