import { walletStoreSuite } from '../../ports/wallet/wallet-store.ts';
import { createInMemoryWalletStore } from './wallet-store.ts';

const store = createInMemoryWalletStore();
walletStoreSuite(() => store);
