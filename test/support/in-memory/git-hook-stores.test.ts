import { gitConnectionStoreSuite, gitDeliveryStoreSuite, headStoreSuite } from '../../ports/git-hooks/stores.ts';
import {
  createInMemoryGitConnectionStore,
  createInMemoryGitDeliveryStore,
  createInMemoryHeadStore,
} from './git-hook-stores.ts';

const connections = createInMemoryGitConnectionStore();
const heads = createInMemoryHeadStore();

gitConnectionStoreSuite(() => connections);
gitDeliveryStoreSuite((now) => createInMemoryGitDeliveryStore({ now }));
headStoreSuite(() => heads);
