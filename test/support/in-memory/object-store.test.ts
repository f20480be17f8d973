import { objectStoreSuite } from '../../ports/object-store.ts';
import { createInMemoryObjectStore } from './object-store.ts';

objectStoreSuite('in memory', async () => {
  const store = createInMemoryObjectStore();
  return {
    store,
    partBytes: 1_000,
    leaveIncomplete: async (key) => store.leaveIncomplete(key),
    incomplete: async () => store.incomplete(),
    download: async (url) => store.download(url),
  };
});
